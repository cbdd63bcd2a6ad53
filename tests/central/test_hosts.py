"""Which addresses are public, for everything that connects to where a tenant says."""

import socket
from ipaddress import ip_network
from typing import Any

import pytest

from central.hosts import PrivateAddressError, is_public, is_within, resolve_host

PUBLIC = [
    "140.82.121.4",
    "1.1.1.1",
    "2606:50c0:8000::153",
    "2001:4860:4860::8888",
    "::ffff:140.82.121.4",
    "64:ff9b::140.82.121.4",
    "2002:8c52:7904::1",
]
PRIVATE = {
    "this network": ["0.0.0.0", "0.1.2.3", "::"],  # noqa: S104
    "this machine": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fd00::1", "fc00::1"],
    "shared": ["100.64.0.1", "100.127.255.255"],
    "link-local": ["169.254.0.1", "fe80::1", "febf::1"],
    "site-local": ["fec0::1", "feff::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "reserved": ["192.0.0.1", "192.88.99.1", "240.0.0.1", "255.255.255.255", "4000::1", "5f00::1"],
    "benchmarks": ["198.18.0.1", "2001:2::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "discarded": ["100::1"],
    "IPv4, mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"],
    "IPv4, compatible": ["::127.0.0.1", "::10.0.0.1", "::8.8.8.8"],
    "IPv4, translated": ["::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1"],
    "IPv4, tunnelled": ["2002:a00:1::1", "2002:7f00:1::1", "2001:0:4136:e378::1"],
    "a cloud's own services": [
        "169.254.169.254",
        "169.254.170.2",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100.100.100.200",
        "168.63.129.16",
        "::ffff:168.63.129.16",
        "64:ff9b::168.63.129.16",
        "192.0.0.192",
        "161.26.0.10",
        "166.9.0.1",
    ],
}


@pytest.mark.parametrize("ip", PUBLIC)
def test_an_address_of_the_internet_is_public(ip: str) -> None:
    assert is_public(ip)


@pytest.mark.parametrize(
    ("kind", "ip"), [(kind, ip) for kind, ips in PRIVATE.items() for ip in ips]
)
def test_any_other_address_is_not(kind: str, ip: str) -> None:
    assert not is_public(ip), kind


@pytest.mark.parametrize("ip", ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"])
def test_a_network_has_an_address_in_each_form(ip: str) -> None:
    assert is_within(ip, [ip_network("fd00::/8"), ip_network("10.0.0.0/8")])
    assert not is_within(ip, [ip_network("10.2.0.0/16")])


def resolves(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def checked(host: str, *networks: str) -> tuple[str, ...]:
    return resolve_host(host, 443, scheme="https", networks=[*map(ip_network, networks)])


def test_one_private_address_of_a_name_is_enough_to_refuse_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolves(monkeypatch, "140.82.121.4", "fe80::1%eth0")
    with pytest.raises(PrivateAddressError):
        checked("hooks.example")
    assert checked("hooks.example", "fe80::/10") == ("140.82.121.4", "fe80::1")


def test_behind_a_proxy_an_address_is_checked_and_a_name_is_the_proxy_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    assert checked("hooks.example") == ()
    assert checked("140.82.121.4") == ()
    with pytest.raises(PrivateAddressError):
        checked("169.254.169.254")
