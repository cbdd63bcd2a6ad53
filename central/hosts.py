"""Hosts that users name: their IP addresses are looked up, checked, and only then connected to.

A name that resolves to another address a moment later changes nothing.
"""

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.request import getproxies, proxy_bypass

from central.errors import UnavailableError

_TRANSLATION = IPv6Network("64:ff9b::/96")  # RFC 6052
_LOCAL_TRANSLATION = IPv6Network("64:ff9b:1::/48")  # RFC 8215


def look_up(host: str, port: int) -> tuple[str, ...]:
    """Return the host's IP addresses, unchecked. Raises UnavailableError without any."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise UnavailableError(f"The host {host[:100]} was not found.") from exc
    return tuple(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


def has_proxy(scheme: str, host: str) -> bool:
    """Whether the operator's proxy connects to the host; it resolves names itself."""
    return scheme in getproxies() and not proxy_bypass(host)


def is_within(ip: str, networks: Collection[IPv4Network | IPv6Network]) -> bool:
    """Whether an address leads into one of the networks."""
    destination = _destination(ip_address(ip))
    return any(destination in network for network in networks)


def is_public(ip: str) -> bool:
    """Whether an address leads to the internet, and not into a private network."""
    destination = _destination(ip_address(ip))
    is_global = destination.is_global and not destination.is_multicast
    return is_global and destination not in _LOCAL_TRANSLATION


def _destination(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 one leads to (mapped, 6to4, NAT64), or itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _TRANSLATION:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
