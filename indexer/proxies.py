"""Which requests go past the proxies that the environment names: those to this machine itself."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit


def direct(url: str) -> Mapping[str, None]:
    """The `mounts` of an httpx client of `url`: no proxy if that is a loopback address."""
    if not is_loopback(url):
        return {}
    host = urlsplit(url).hostname or ""
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None}


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"
