"""URLs of services: normalisation, validation, and exemption from proxies."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from indexer.errors import ConfigurationError


def central_url(url: str) -> str:
    """Normalise the service's URL, the audience of id tokens. Raises ConfigurationError.

    Scheme and host become lower case; a slash at the end is removed.
    """
    if not _is_address(url):
        raise ConfigurationError(
            "AETERNA_URL must be an http or https address without user or password, "
            "such as https://codesearch.example.com"
        )
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")


def service_url(url: str, *, name: str, example: str) -> str:
    """Validate an embedding service's URL and remove a final slash. Raises ConfigurationError.

    `name` is the variable that holds it.
    """
    if not _is_address(url) or "?" in url or "#" in url:  # what follows may be a key
        raise ConfigurationError(
            f"{name} must be an http or https address without user, password or query, "
            f"such as {example}"
        )
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
        name = (parts.hostname or "").encode("idna")
    except ValueError:  # half an IPv6 address, a port that is no number, a name that is too long
        return False
    is_written = url.isprintable() and " " not in url
    return (
        parts.scheme in {"http", "https"} and bool(name) and "@" not in parts.netloc and is_written
    )


def without_proxy(url: str) -> Mapping[str, None]:
    """Return the `mounts` of an httpx client: no proxy if `url` is a loopback address."""
    if not is_loopback(url):
        return {}
    host = urlsplit(url).hostname or ""
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None}


def needs_certificates(url: str) -> bool:
    """Whether a client of `url` alone may need certificates, which take 25 ms to load."""
    return not (is_loopback(url) and urlsplit(url).scheme == "http")


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"
