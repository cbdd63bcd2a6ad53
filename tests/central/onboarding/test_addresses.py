"""Addresses that may be cloned: hosts, schemes, private networks, directories."""

import socket
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from central.errors import InvalidError, UnavailableError
from central.onboarding.addresses import parse_address, project_name, resolve
from central.settings.backfill import BackfillSettings

SETTINGS = BackfillSettings(hosts=("gitlab.example", "git.example:8443", "127.0.0.1:8080"))


@pytest.mark.parametrize(
    ("text", "scheme", "host", "port"),
    [
        ("https://github.com/acme/shop", "https", "github.com", 443),
        ("https://gitlab.example/group/sub/name.git", "https", "gitlab.example", 443),
        ("https://GitLab.example/group/name/", "https", "gitlab.example", 443),
        ("https://git.example:8443/name", "https", "git.example", 8443),
        ("ssh://git@gitlab.example/group/name.git", "ssh", "gitlab.example", 22),
        ("git@gitlab.example:group/name.git", "ssh", "gitlab.example", 22),
        ("http://127.0.0.1:8080/name", "http", "127.0.0.1", 8080),
    ],
)
def test_an_address_at_an_allowed_host_is_accepted(
    text: str, scheme: str, host: str, port: int
) -> None:
    found = parse_address(text, SETTINGS)
    assert (found.scheme, found.host, found.port) == (scheme, host, port)


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example/name",
        "https://gitlab.example:444/name",
        "https://gitlab.example.evil.example/name",
        "https://gitlab.example@evil.example/name",
        "https://user:secret@gitlab.example/name",
        "https://user@gitlab.example/name",
        "https://gitlab.example/name?a=b",
        "https://gitlab.example/name#a",
        "https://gitlab.example/",
        "https://gitlab.example",
        "https://gitlab.example/a/../b",
        "https://gitlab.example/a/%2e%2e/b",
        "https://gitlab.example//b",
        "https://gitlab.example/-upload-pack",
        "https://gitlab.example/a b",
        "https://gitlab.example/a\nb",
        "https://gitlab.example/a\\b",
        'https://gitlab.example/a"b',
        "https://gitlab.example:x/a",
        "https://gitlab.example:0/a",
        "https://[::1/a",
        "https://github.com.evil.example/a/b",
        "http://gitlab.example/name",
        "git://gitlab.example/name",
        "ext::true",
        "fd::17/x",
        "file:///etc",
        "/etc",
        "-u",
        "",
        "ssh://-option@gitlab.example/name",
        "ssh://git@-option/name",
        "-option@gitlab.example:name",
        "ssh://git@gitlab.example/-x",
        "https://gitlab.example/" + "a" * 500,
    ],
)
def test_any_other_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidError) as caught:
        parse_address(text, SETTINGS)
    assert caught.value.code == "git_address_refused"


def test_a_directory_is_cloned_only_below_one_that_the_operator_names(tmp_path: Path) -> None:
    allowed = tmp_path / "mirrors"
    (allowed / "shop.git").mkdir(parents=True)
    (tmp_path / "private").mkdir()
    (allowed / "link").symlink_to(tmp_path / "private")
    settings = replace(SETTINGS, directories=(allowed,))
    assert parse_address(f"file://{allowed}/shop.git", settings).scheme == "file"
    for outside in (f"{tmp_path}/private", f"{allowed}/link", f"{allowed}/../private"):
        with pytest.raises(InvalidError):
            parse_address(f"file://{outside}", settings)
    with pytest.raises(InvalidError):
        parse_address(f"file://host{allowed}/shop.git", settings)


def answered(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("ip", ["127.0.0.1", "fec0::1", "fe80::1%eth0"])  # all: test_hosts.py
def test_a_name_with_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch, ip: str) -> None:
    answered(monkeypatch, "140.82.121.4", ip)
    address = parse_address("https://gitlab.example/group/name", SETTINGS)
    with pytest.raises(InvalidError, match="private address"):
        resolve(address, SETTINGS)


def test_the_operator_may_allow_a_private_network(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, "10.1.2.3")
    settings = replace(SETTINGS, networks=(ip_network("10.0.0.0/8"),))
    address = parse_address("https://gitlab.example/group/name", settings)
    assert resolve(address, settings).ips == ("10.1.2.3",)


def test_all_addresses_of_a_name_are_kept_for_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered(monkeypatch, "140.82.121.4", "2606:50c0:8000::153", "140.82.121.4")
    address = parse_address("https://gitlab.example/group/name", SETTINGS)
    assert resolve(address, SETTINGS).ips == ("140.82.121.4", "2606:50c0:8000::153")


def test_an_unknown_name_may_be_known_later(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch)

    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(UnavailableError, match="not found"):
        resolve(parse_address("https://gitlab.example/a", SETTINGS), SETTINGS)


@pytest.mark.parametrize(
    ("url", "segments", "name"),
    [
        ("https://h/group/sub/name.git", 1, "name"),
        ("https://h/group/sub/name.git", 2, "sub-name"),
        ("https://h/group/n%C3%A4me", 1, "n-me"),
        ("https://h/~user/x", 2, "user-x"),
        ("https://h/" + "a" * 150, 1, "a" * 100),
    ],
)
def test_a_project_is_named_after_its_address(url: str, segments: int, name: str) -> None:
    assert project_name(url, segments=segments) == name
