"""A provider that was taken over: it signs nobody in, and costs little time and memory."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import jwt
import pytest
from django.contrib.auth.models import User
from django.test import Client

from central.github.key_sets import ISSUER_KEYS
from central.tenancy.models import Membership
from central.web import sso, views_sso
from central.web.sso import SSO_ANSWER_BYTES, SSO_NAME_CHARACTERS
from tests.central.web.openid import LocalProvider
from tests.central.web.test_sso import assert_refused, is_signed_in, provider, running, sign_in

pytestmark = pytest.mark.django_db
__all__ = ["provider", "running"]

PATHS = ("/.well-known/openid-configuration", "/token", "/keys", "/userinfo")


def body(content: bytes, *, head: bytes = b"") -> Callable[[BinaryIO], None]:
    def write(stream: BinaryIO) -> None:
        length = b"Content-Length: %d\r\n" % len(content)
        stream.write(b"HTTP/1.1 200 OK\r\n" + length + head + b"\r\n" + content)

    return write


def endless(stream: BinaryIO) -> None:
    stream.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while True:
        stream.write(b" " * 65_536)


BODIES: dict[str, Callable[[BinaryIO], None]] = {
    "too large": body(b'{"a": "' + b"x" * SSO_ANSWER_BYTES + b'"}'),
    "without end": endless,
    "deep": body(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "no JSON": body(b"<html>access_token=x</html>"),
    "a form": body(b"access_token=x&id_token=y"),
    "a list": body(b'["access_token", "sub"]'),
    "a text": body(b'"access_token sub"'),
    "null": body(b"null"),
    "no UTF-8": body(b'{"\xff\xfe": 1}'),
    "a number of many digits": body(b'{"a": ' + b"9" * 10_000 + b"}"),
    "shorter than it says": lambda stream: (
        stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{}") and None
    ),
    "zipped and not": body(b"{}", head=b"Content-Encoding: gzip\r\n"),
    "no HTTP": lambda stream: stream.write(b"\x00" * 1_000) and None,
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("write", BODIES.values(), ids=BODIES.keys())
def test_an_answer_that_is_none_signs_nobody_in(
    client: Client, provider: LocalProvider, path: str, write: Callable[[BinaryIO], None]
) -> None:
    if path == PATHS[0]:
        provider.raw[path] = write
        assert_refused(client, client.get("/sso"))
    else:
        provider.raw[path] = write
        assert_refused(client, sign_in(client))
    assert not User.objects.exists()


@pytest.fixture
def dripping() -> Iterator[Callable[[BinaryIO], None]]:
    """Something comes all the time, in the head or after it, and never enough."""
    is_over = threading.Event()

    def write(stream: BinaryIO) -> None:
        stream.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not is_over.wait(0.05):
            stream.write(b"x")

    yield write
    is_over.set()


@pytest.mark.parametrize("path", PATHS)
def test_a_provider_that_drips_is_left_after_its_time(
    client: Client,
    provider: LocalProvider,
    path: str,
    dripping: Callable[[BinaryIO], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sso, "SSO_REQUEST_SECONDS", 0.5)
    provider.raw[path] = dripping
    started = time.monotonic()
    assert_refused(client, client.get("/sso") if path == PATHS[0] else sign_in(client))
    assert time.monotonic() - started < 20


def test_a_sign_in_has_one_time_for_all_its_requests(
    client: Client, provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views_sso, "SSO_SECONDS", 0)
    assert_refused(client, client.get("/sso"))


@pytest.mark.parametrize("path", PATHS)
def test_a_redirect_is_not_followed_and_no_secret_is_sent_on(
    client: Client, provider: LocalProvider, path: str
) -> None:
    with LocalProvider() as elsewhere:
        asked: list[str] = []
        elsewhere.raw["/taken"] = lambda _: asked.append("")
        head = f"HTTP/1.1 307 Moved\r\nLocation: {elsewhere.issuer}/taken\r\n".encode()
        provider.raw[path] = lambda stream: (
            stream.write(head + b"Content-Length: 0\r\n\r\n") and None
        )
        assert_refused(client, client.get("/sso") if path == PATHS[0] else sign_in(client))
        assert asked == []


CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "numbers": dict.fromkeys(("authorization_endpoint", "token_endpoint", "jwks_uri"), 5),
    "lists": {"token_endpoint": ["x"], "jwks_uri": ["x"]},
    "a script": {"authorization_endpoint": "javascript:alert(1)"},
    "a file": {"jwks_uri": "file:///etc/passwd"},
    "in the clear": {"token_endpoint": "http://192.0.2.1/token"},
    "no address": {"token_endpoint": "https://[x"},
    "methods that are none": {"token_endpoint_auth_methods_supported": 5},
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_a_configuration_that_leads_elsewhere_is_refused(
    client: Client, provider: LocalProvider, configuration: dict[str, Any]
) -> None:
    provider.configuration = configuration
    assert_refused(client, client.get("/sso"))


TOKENS: dict[str, dict[str, Any]] = {
    "no id token": {"access_token": "x"},
    "an id token that is a number": {"access_token": "x", "id_token": 5},
    "an id token that is none": {"access_token": "x", "id_token": "a.b.c"},
    "an id token of 400 kB": {"access_token": "x", "id_token": "a" * 400_000},
    "an access token that is a list": {"access_token": ["x"], "id_token": "a.b.c"},
    "an access token of two lines": {"access_token": "x\r\nX: y", "id_token": "a.b.c"},
}


@pytest.mark.parametrize("answer", TOKENS.values(), ids=TOKENS.keys())
def test_tokens_that_are_none_sign_nobody_in(
    client: Client, provider: LocalProvider, answer: dict[str, Any]
) -> None:
    provider.raw["/token"] = body(json.dumps(answer).encode())
    assert_refused(client, sign_in(client))


KEYS: dict[str, Any] = {
    "no list": {"keys": 5},
    "no keys": {"keys": [5, None, "x"]},
    "none": {"keys": []},
    "too many": {"keys": [{"kty": "RSA", "kid": str(n)} for n in range(ISSUER_KEYS + 1)]},
    "a secret": {"keys": [{"kty": "oct", "k": "eA", "kid": "one"}]},
    "one of 2 million bits": {
        "keys": [{"kty": "RSA", "n": "A" * 300_000, "e": "AQAB", "kid": "one"}]
    },
    "one of a wide exponent": {
        "keys": [{"kty": "RSA", "n": "w" * 342, "e": "A" * 300_000 + "B", "kid": "one"}]
    },
    "of a kind that is none": {"keys": [{"kty": ["RSA"], "kid": "one"}]},
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS.keys())
def test_keys_that_are_none_sign_nobody_in(
    client: Client, provider: LocalProvider, keys: dict[str, Any]
) -> None:
    provider.raw["/keys"] = body(json.dumps(keys).encode())
    assert_refused(client, sign_in(client))


@pytest.mark.parametrize("member", ["d", "use", "alg"])
def test_the_provider_s_own_key_is_none_unless_it_is_public_and_for_signatures(
    client: Client, provider: LocalProvider, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What PyJWT would calculate without a limit is a stand-in here, which notes that it ran."""
    derived: list[tuple[int, ...]] = []
    monkeypatch.setattr(
        jwt.algorithms, "rsa_recover_prime_factors", lambda *numbers: derived.append(numbers)
    )
    private = jwt.algorithms.RSAAlgorithm.to_jwk(provider.key, as_dict=True)
    strange = {"d": private["d"], "use": "enc", "alg": "RS1"}[member]
    honest = provider.keys()["keys"][0]
    provider.raw["/keys"] = body(json.dumps({"keys": [honest | {member: strange}]}).encode())
    assert_refused(client, sign_in(client))
    assert derived == []


CLAIMS: dict[str, dict[str, Any]] = {
    "a subject that is a number": {"sub": 1001},
    "a subject that is a list": {"sub": ["1001"]},
    "no subject": {"sub": ""},
    "a subject of 10,000 characters": {"sub": "x" * 10_000},
    "a subject with a control character": {"sub": "1\x00"},
    "an end without end": {"exp": float("inf")},
    "an end that is a text": {"exp": "tomorrow"},
    "a start that is a list": {"iat": []},
    "an audience that is a number": {"aud": 5},
    "an issuer that is a list": {"iss": ["x"]},
    "a nonce that is a list": {"nonce": ["x"]},
}


@pytest.mark.parametrize("forged", CLAIMS.values(), ids=CLAIMS.keys())
def test_claims_of_another_kind_sign_nobody_in(
    client: Client, provider: LocalProvider, forged: dict[str, Any]
) -> None:
    provider.forged = forged
    if "sub" in forged:
        provider.person = {**provider.person, "sub": forged["sub"]}
    assert_refused(client, sign_in(client))
    assert not User.objects.exists()


NAMES: tuple[Any, ...] = (
    5, ["ada"], {"a": 1}, None, True, "", "a\x00b", "a\r\nb", "\u202egnp.exe", "x" * 10_000,
    "\ud800", "<script>alert(1)</script>", "' OR 1=1 --", "admin", '"a\x01"@acme.example',
)  # fmt: skip


@pytest.mark.parametrize("value", NAMES, ids=ascii)
def test_whatever_a_person_is_called_is_a_name_or_nothing(
    client: Client, provider: LocalProvider, value: Any
) -> None:
    names = ("preferred_username", "name", "given_name", "family_name")
    provider.person = {"sub": "1001", **dict.fromkeys(names, value)}
    provider.told = {"email": value, "email_verified": True, **{f"claim{n}": n for n in range(9)}}
    sign_in(client)
    assert is_signed_in(client)
    user = User.objects.get()
    for name in (user.username, user.first_name, user.last_name):
        assert len(name) <= SSO_NAME_CHARACTERS
        assert name.isprintable()
    assert user.email == ""
    assert not Membership.objects.exists()
    assert "<script>alert" not in client.get("/account").content.decode()


@pytest.mark.parametrize("verified", [1, 1.0, "True", "yes", ["true"], {"a": 1}])
def test_an_address_is_vouched_for_by_true_alone(
    client: Client, provider: LocalProvider, verified: object
) -> None:
    provider.told["email_verified"] = verified
    sign_in(client)
    assert User.objects.get().email == ""
    assert not Membership.objects.exists()


def test_the_same_subject_written_otherwise_is_nobody(
    client: Client, provider: LocalProvider
) -> None:
    provider.person = {"sub": "1", "preferred_username": "ada"}
    sign_in(client)
    provider.told["sub"] = 1
    other = Client()
    assert_refused(other, sign_in(other))
    assert User.objects.count() == 1
