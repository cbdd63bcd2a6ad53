"""Addresses of clients, as limits know them."""

from ipaddress import ip_address, ip_network

_NETWORK_BITS = 64  # of IPv6: the least that one customer has


def network_of(address: str) -> str:
    """Return the address, for IPv6 its network; "" for what is none, such as a unix socket's."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if parsed.version == 4:
        return str(parsed)
    return str(ip_network((parsed, _NETWORK_BITS), strict=False))
