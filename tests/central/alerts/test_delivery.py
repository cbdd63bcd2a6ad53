"""One attempt: to the checked address alone, bounded, without redirects."""

import socket
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from central.alerts import delivery
from central.alerts.delivery import parse_address, post, shown_address
from central.errors import InvalidError
from tests.central.alerts.receiver import Receiver, receiving_over_tls

BODY = b'{"text": "hello"}'


def send(address: str) -> str:
    """The error of one attempt; "" if it was delivered."""
    failure = post(address, headers={"Content-Type": "application/json"}, body=BODY)
    return failure.message if failure else ""


def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Let every name have these addresses, one a look-up; returns the names that were asked for."""
    asked: list[str] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        ip = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    assert send(receiver.address) == ""
    assert receiver.bodies == [BODY]
    assert receiver.headers[0]["content-type"] == "application/json"


def test_a_name_that_changes_its_address_is_connected_to_as_it_was_checked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the second look-up, if there were one, would lead elsewhere."""
    asked = resolve_to(monkeypatch, "127.0.0.1", "10.0.0.1")
    port = receiver.address.split(":")[2].split("/")[0]
    assert send(f"http://hooks.example:{port}/hook") == ""
    assert asked == ["hooks.example"]
    assert receiver.headers[0]["host"] == f"hooks.example:{port}"


@pytest.mark.parametrize("ip", ["10.0.0.1", "fec0::1", "::127.0.0.1"])  # all: test_hosts.py
def test_a_private_address_is_refused(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_to(monkeypatch, ip)
    assert "AETERNA_ALERT_NETWORKS" in send("https://hooks.example/hook")


def test_the_own_machine_is_private(settings: Settings, receiver: Receiver) -> None:
    settings.ALERT_NETWORKS = ()
    address = receiver.address.replace("http://127.0.0.1", "https://localhost")
    assert "private address" in send(address)
    assert not receiver.bodies


def test_http_is_for_the_operator_s_networks_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_to(monkeypatch, "93.184.216.34")
    assert "http:// is for the networks" in send("http://hooks.example/hook")
    settings.ALERT_NETWORKS = ()
    assert "https://" in send("http://hooks.example/hook")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "hooks.example",
        "ftp://hooks.example/x",
        "file:///etc/passwd",
        "https:///x",
        "https://user:secret@hooks.example/x",
        "https://hooks.example/x#y",
        "https://hooks.example/a b",
        "https://hooks.example/a\nb",
        "https://hooks.example:99999/",
        "https://hooks.example:0/",
        "https://[::1",
        "https://hooks.example/" + "a" * 2_000,
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidError) as caught:
        parse_address(address)
    assert caught.value.code == "alert_address_refused"


def test_an_address_is_shown_without_what_lets_one_post() -> None:
    url = parse_address("https://hooks.slack.com/services/T0/B0/secret?token=secret")
    assert shown_address(url) == "https://hooks.slack.com/…"


def test_a_certificate_of_the_host_is_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving_over_tls(tmp_path) as (receiver, authority):
        assert "ConnectError" in send(receiver.address)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert send(receiver.address) == ""
        assert receiver.headers[0]["host"] == receiver.address.split("/")[2]
        resolve_to(monkeypatch, "127.0.0.1")
        other = receiver.address.replace("localhost", "hooks.example")
        assert "ConnectError" in send(other)
        assert len(receiver.bodies) == 1


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.statuses = [302]
    assert send(receiver.address) == ("The receiver answered HTTP 302. Redirects are not followed.")
    assert len(receiver.bodies) == 1


def test_a_receiver_that_never_ends_its_answer_is_left(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "ALERT_SECONDS", 0.5)
    receiver.is_silent = True
    assert "did not answer" in send(receiver.address)


def test_another_address_of_the_host_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a host with IPv6 where this machine has none."""
    port = int(receiver.address.split(":")[2].split("/")[0])

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        ips = [(socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1")]
        return [(family, socket.SOCK_STREAM, 6, "", (ip, port)) for family, ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert send(f"http://hooks.example:{port}/hook") == ""


def test_what_cannot_be_reached_is_named_without_its_address(settings: Settings) -> None:
    assert send("http://127.0.0.1:9/services/secret") == (
        "The receiver could not be reached (ConnectError)."
    )
