"""The environment of the central service, which only this module reads.

NAME_FILE, the path of a file with the value, may replace any variable NAME: so secrets stay out
of the process list and of `docker inspect`.
"""

import os
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from central.runtime.listening import url_host


def text(name: str, default: str | None = None) -> str | None:
    """Return the value of `name`, the content of the file that `name`_FILE names, or `default`.

    An empty value or file counts as none.
    """
    if value := os.environ.get(name):
        return value
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return default
    try:
        return Path(file).read_text(encoding="utf-8").strip() or default
    except OSError as exc:
        raise ImproperlyConfigured(
            f"{name}_FILE cannot be read ({exc.strerror}); check the path and its permissions."
        ) from exc


def unset(prefix: str) -> None:
    """Drop every variable with this prefix, for this process and its children."""
    for name in [name for name in os.environ if name.startswith(prefix)]:
        del os.environ[name]


def required(name: str) -> str:
    """Return the value of `name`, which has no default."""
    value = text(name)
    if value is None:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated values of `name`."""
    return [word.strip() for word in (text(name, default) or "").split(",") if word.strip()]


def flag(name: str, *, default: bool) -> bool:
    """Return whether `name` is 1/true/yes/on and not 0/false/no/off, in any case."""
    value = (text(name) or "").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return default


def hosts(name: str) -> list[str]:
    """Return the comma-separated hosts of `name`, as the header Host has them."""
    return [url_host(_host(name, word)) for word in words(name)]


def _host(name: str, word: str) -> str:
    """Return `word`, which no request could name with a scheme, a path or a port."""
    if ":" in word or "/" in word:
        try:
            ip_address(word.removeprefix("[").removesuffix("]"))
        except ValueError as exc:
            raise ImproperlyConfigured(
                f"{name}: '{word}' is no host; write code.example.com, without https:// and port."
            ) from exc
    return word


def host(name: str) -> str | None:
    """Return the host of the address in `name`, as the header Host has it."""
    try:
        return url_host(urlsplit(text(name) or "").hostname or "") or None
    except ValueError as exc:
        raise ImproperlyConfigured(f"{name} must be an address: https://host.example.") from exc


def number(name: str, *, default: int) -> int:
    """Return the value of `name` as a whole number."""
    value = text(name)
    if value is None:
        return default
    try:
        return int(value)
    except ValueError as exc:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from exc


def networks(name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the comma-separated networks of `name`."""
    return tuple(_network(name, word) for word in words(name))


def _network(name: str, word: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(word)
    except ValueError as exc:
        raise ImproperlyConfigured(f"{name}: '{word}' is no network; write 10.0.0.0/8.") from exc
