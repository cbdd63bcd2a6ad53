"""A provider of keys, or who stands between, that wants to harm; and tokens that nobody sane signs.

Each is refused with a problem document, in bounded time and memory; the next honest answer counts.
"""

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from requests import Request

from central.errors import UnavailableError
from central.github import key_sets
from central.github.key_sets import ISSUER_KEY_BITS, ISSUER_KEY_SET_BYTES, ISSUER_KEYS, IssuerKeys
from central.http.bounded_session import BoundedSession
from tests.central.github.job import AUDIENCE, exchange, rows
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub

Answer = Callable[[socket.socket], None]


@contextmanager
def issuer_that(answer: Answer) -> Iterator[str]:
    """A server that reads a request and then does whatever it likes with the connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:  # the test is over
                    return
                with connection, suppress(OSError):
                    connection.recv(65536)
                    answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(30)
            assert not thread.is_alive()


def head(*lines: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()


def drip(connection: socket.socket, data: bytes, *, seconds: float = 0.2) -> None:
    """Byte by byte, each well within what a single read waits."""
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(seconds)


def endless_body(connection: socket.socket) -> None:
    connection.sendall(head("Content-Type: application/json"))
    connection.sendall(b'{"keys": [')
    while True:
        connection.sendall(b" " * 65536)


def large_body(connection: socket.socket) -> None:
    body = b'{"keys": [' + b" " * ISSUER_KEY_SET_BYTES + b"]}"
    connection.sendall(head(f"Content-Length: {len(body)}") + body)


def slow_body(connection: socket.socket) -> None:
    connection.sendall(head("Content-Length: 1000"))
    drip(connection, b" " * 1000)


def slow_head(connection: socket.socket) -> None:
    drip(connection, head(*[f"X-Filler-{number}: none" for number in range(90)]))


def nested_body(connection: socket.socket) -> None:
    body = b'{"keys": ' + b"[" * 100_000
    connection.sendall(head(f"Content-Length: {len(body)}") + body)


def broken_text(connection: socket.socket) -> None:
    connection.sendall(head("Content-Length: 4") + b"\xff\xfe\x00\x00")


def nothing(connection: socket.socket) -> None:
    connection.close()


@pytest.mark.parametrize(
    "answer",
    [endless_body, large_body, slow_body, slow_head, nested_body, broken_text, nothing],
)
def test_an_answer_that_does_not_end_or_is_none_is_an_issuer_that_is_away(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_sets, "KEY_SET_SECONDS", 1)
    with issuer_that(answer) as issuer:
        began = time.monotonic()
        with pytest.raises(UnavailableError):
            IssuerKeys(issuer).key("any")
        assert time.monotonic() - began < 10  # a busy machine's


@pytest.mark.parametrize("answer", [slow_body, slow_head])
def test_an_answer_through_a_proxy_has_no_more_time(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_sets, "KEY_SET_SECONDS", 1)
    with issuer_that(answer) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        began = time.monotonic()
        with pytest.raises(UnavailableError):
            IssuerKeys("http://issuer.example").key("any")
        assert time.monotonic() - began < 10


def test_an_issuer_is_told_no_password_of_a_netrc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login someone password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with BoundedSession(seconds=1, max_bytes=1) as session:
        asked = session.prepare_request(Request("GET", "https://issuer.example"))
    assert "Authorization" not in asked.headers


def test_a_redirect_is_not_followed() -> None:
    with LocalGitHub() as other:
        there = f"{other.issuer}/.well-known/jwks"

        def redirect(connection: socket.socket) -> None:
            connection.sendall(
                f"HTTP/1.1 302 Found\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode()
            )

        with issuer_that(redirect) as issuer, pytest.raises(UnavailableError):
            IssuerKeys(issuer).key(other.key_id)
        assert other.key_requests == 0


def published(keys: object) -> Answer:
    body = json.dumps({"keys": keys}).encode()
    return lambda connection: connection.sendall(head(f"Content-Length: {len(body)}") + body)


def public_key(**members: object) -> dict[str, Any]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    told = jwt.algorithms.RSAAlgorithm.to_jwk(key, as_dict=True)
    return {**told, "alg": "RS256", "use": "sig", "kid": "good", **members}


def number(bits: int) -> str:
    value = (1 << bits) - 1
    data = value.to_bytes((bits + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "members",
    [
        {"kid": ["good"]},
        {"kid": {"good": 1}},
        {"kid": 7},
        {"kid": True},
        {"kid": ""},
        {"kid": "k" * 10_000},
        {"n": number(ISSUER_KEY_BITS + 8)},
        {"n": number(1024)},
        {"e": number(4096)},
        {"alg": "HS256"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"use": "enc"},
        {"use": ["sig"]},
        {"alg": None},
    ],
    ids=lambda members: "-".join(f"{name}-{str(value)[:12]}" for name, value in members.items()),
)
def test_of_a_set_with_a_strange_key_the_good_ones_are_taken(members: dict[str, object]) -> None:
    strange = public_key(kid="strange")
    strange |= members
    with issuer_that(published([strange, public_key()])) as issuer:
        keys = IssuerKeys(issuer)
        assert keys.key("good") is not None
        for key_id in ("strange", "", "7", "k" * 10_000):
            assert keys.key(key_id) is None


def test_more_keys_than_an_issuer_has_are_none() -> None:
    key = public_key()
    many = [{**key, "kid": f"k{each}"} for each in range(ISSUER_KEYS + 1)]
    with issuer_that(published(many)) as issuer, pytest.raises(UnavailableError):
        IssuerKeys(issuer).key("k0")
    with issuer_that(published(many[:-1])) as issuer:
        assert IssuerKeys(issuer).key("k0") is not None


# --- Tokens ---------------------------------------------------------------------------------------


def part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def deep(name: str, depth: int = 6000) -> bytes:
    return f'{{"alg":"RS256","{name}":'.encode() + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize(
    "token",
    [
        f"{part(deep('x'))}.e30.c2ln",
        f"{part(deep('kid'))}.e30.c2ln",
        f"{part(b'[' * 20_000)}.e30.c2ln",
        f"{part(b'1' * 6_000)}.e30.c2ln",
        f"{part(json.dumps({'alg': ['RS256'], 'kid': 'k'}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': ['k']}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': None}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': 7}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': 'k' * 20_000}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': 'k', 'crit': ['x']}).encode())}.e30.c2ln",
        f"{part(json.dumps({'alg': 'RS256', 'kid': 'k', 'b64': False}).encode())}.e30.c2ln",
        f"{part(b'null')}.e30.c2ln",
        "." * 20_000,
        "a" * 30_000,
        "\ud800.e30.c2ln".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        "é.é.é",
    ],
    ids=lambda token: str(len(token)),
)
@pytest.mark.django_db
@pytest.mark.usefixtures("policy")
def test_a_token_of_any_form_is_refused_and_asks_for_nothing(
    github: LocalGitHub, token: str
) -> None:
    before = rows()
    assert_problem(exchange(token), 401, "oidc_invalid")
    assert rows() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"repository_id": True},
        {"repository_id": 74001},
        {"repository_id": 74001.0},
        {"repository_id": "74001.0"},
        {"repository_id": "074001"},
        {"repository_id": " 74001"},
        {"repository_id": "74001\n"},
        {"repository_id": ["74001"]},
        {"repository_id": {"id": "74001"}},
        {"repository_id": "0"},
        {"repository_id": "-1"},
        {"repository_owner_id": True},
        {"repository_owner_id": 9919.0},
        {"repository_owner_id": "9919\n"},
        {"repository": ["acme/shop"]},
        {"repository": "acme/shop/more"},
        {"repository": "acme/sh\u043ep"},
        {"repository_visibility": True},
        {"repository_visibility": "Public"},
        {"repository_visibility": "public\n"},
        {"ref": ["refs/heads/main"]},
        {"sha": "A" * 40},
        {"sha": "a" * 40 + "\n"},
        {"event_name": True},
        {"jti": True},
        {"jti": "x" * 201},
        {"iat": True},
        {"iat": 1.5},
        {"iat": float("inf")},
        {"iat": float("nan")},
        {"iat": -1},
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"exp": True},
        {"exp": 2**70},
        {"nbf": float("inf")},
        {"nbf": [1]},
        {"nbf": "1"},
        {"aud": True},
    ],
    ids=str,
)
@pytest.mark.django_db
@pytest.mark.usefixtures("policy")
def test_signed_claims_of_another_type_or_form_are_refused(
    github: LocalGitHub, changes: dict[str, Any]
) -> None:
    before = rows()
    answer = exchange(github.id_token(AUDIENCE, **changes))
    assert answer.status_code == 401, answer.content
    assert answer.json()["code"].startswith("oidc_")
    assert rows() == before


@pytest.mark.django_db
@pytest.mark.usefixtures("policy")
def test_signed_claims_that_nest_deeply_or_come_twice_are_refused(github: LocalGitHub) -> None:
    before = rows()
    good = json.dumps(github.payload(AUDIENCE))[1:]
    for payload in (
        b'{"x":' + b"[" * 6000 + b"]" * 6000 + b"," + good.encode(),
        b"[" * 6000,
        b"[]",
        b"\xff",
    ):
        token = jwt.PyJWS().encode(
            payload, github.key, algorithm="RS256", headers={"kid": github.key_id}
        )
        assert_problem(exchange(token), 401, "oidc_invalid")
        assert rows() == before


def test_who_waits_for_the_fetch_of_another_does_not_wait_for_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Any caller can name an unknown key, and each that waits has one of few threads."""
    monkeypatch.setattr(key_sets, "_LOCK_SECONDS", 0)
    asked, ending = threading.Event(), threading.Event()

    def hang(connection: socket.socket) -> None:
        asked.set()
        ending.wait(60)

    with issuer_that(hang) as issuer:
        keys = IssuerKeys(issuer)

        def fetch() -> None:
            with suppress(UnavailableError):
                keys.key("any")

        first = threading.Thread(target=fetch)
        first.start()
        try:
            assert asked.wait(60)
            with pytest.raises(UnavailableError) as caught:
                keys.key("another")
        finally:
            ending.set()
            first.join()
    assert caught.value.code == "oidc_keys_unavailable"
