"""Hosts that users name: their IP addresses are looked up, checked, and only then connected to.

A name that resolves to another address a moment later changes nothing.
"""

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.request import getproxies, proxy_bypass

from central.errors import UnavailableError

_TRANSLATION: Final = IPv6Network("64:ff9b::/96")  # RFC 6052
# All that is public in IPv6. Site-local, IPv4-compatible and unassigned addresses, which
# `is_global` accepts, are elsewhere.
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# What else `is_global` accepts in Python 3.11, whose tables are older than IANA's.
_NOT_PUBLIC: Final = (
    IPv4Network("192.0.0.0/24"),  # RFC 6890; a cloud's metadata is at .192
    IPv4Network("192.88.99.0/24"),  # RFC 7526
    IPv6Network("3fff::/20"),  # RFC 9637
    # Clouds' own services, which only their machines reach:
    # https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
    IPv4Network("168.63.129.16/32"),
    # https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
    IPv4Network("161.26.0.0/16"),
    IPv4Network("166.8.0.0/14"),
)

Network = IPv4Network | IPv6Network


class PrivateAddressError(Exception):
    """A host has an address that is neither public nor in a network that the operator allows."""


def resolve_host(
    host: str, port: int, *, scheme: str, networks: Collection[Network]
) -> tuple[str, ...]:
    """Return the host's IP addresses: public ones, and those in `networks`.

    Behind the operator's proxy, which resolves names itself, there are none. Raises
    PrivateAddressError, UnavailableError for a name without any.
    """
    is_proxied = scheme in getproxies() and not proxy_bypass(host)
    flags = socket.AI_NUMERICHOST if is_proxied else 0
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError) as exc:
        if is_proxied:
            return ()
        raise UnavailableError(f"The host {host[:100]} was not found.") from exc
    ips = tuple(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))
    if not all(is_public(ip) or is_within(ip, networks) for ip in ips):
        raise PrivateAddressError
    return () if is_proxied else ips


def is_within(ip: str, networks: Collection[Network]) -> bool:
    """Whether an address leads into one of the networks."""
    destination = _destination(ip_address(ip))
    return any(destination in network for network in networks)


def is_public(ip: str) -> bool:
    """Whether an address leads to the internet: to no private network, and to no cloud's own."""
    destination = _destination(ip_address(ip))
    if destination.is_multicast or not destination.is_global:
        return False
    if isinstance(destination, IPv6Address) and destination not in _GLOBAL_UNICAST:
        return False
    return not any(destination in network for network in _NOT_PUBLIC)


def _destination(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 one leads to (mapped, 6to4, NAT64), or itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _TRANSLATION:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
