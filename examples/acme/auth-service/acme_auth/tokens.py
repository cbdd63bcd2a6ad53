"""Signed access tokens: compact JWTs with HMAC-SHA-256. No state, so any service can verify them."""

import base64
import binascii
import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from datetime import timedelta

from acme_common.clock import Clock, SystemClock

ACCESS_TOKEN_LIFETIME = timedelta(minutes=15)
CLOCK_SKEW_SECONDS = 30


class TokenError(Exception):
    """The token must not be trusted; the message says why, for the log and not for the caller."""


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """What a verified token says about its bearer."""

    subject: str
    audience: str
    roles: tuple[str, ...]
    expires_at: int
    session_id: str


class KeyRing:
    """Signing keys by id. The first one signs, all of them verify, so that keys can be rotated."""

    def __init__(self, keys: dict[str, bytes]) -> None:
        if not keys:
            raise ValueError("a key ring needs at least one key")
        self._keys = keys
        self.current = next(iter(keys))

    @classmethod
    def from_environment(cls) -> "KeyRing":
        """Read `AUTH_SIGNING_KEYS`: `id:hex,id:hex`, newest first."""
        pairs = (item.split(":", 1) for item in os.environ["AUTH_SIGNING_KEYS"].split(","))
        return cls({key_id: bytes.fromhex(secret) for key_id, secret in pairs})

    def signature(self, key_id: str, message: bytes) -> bytes:
        """HMAC of `message`. Raises TokenError for a key that was retired or never existed."""
        secret = self._keys.get(key_id)
        if secret is None:
            raise TokenError(f"unknown key {key_id!r}")
        return hmac.new(secret, message, hashlib.sha256).digest()


def sign_token(claims: TokenClaims, keys: KeyRing) -> str:
    """Serialise and sign claims as a JWT."""
    header = {"alg": "HS256", "typ": "JWT", "kid": keys.current}
    payload = {
        "sub": claims.subject,
        "aud": claims.audience,
        "roles": list(claims.roles),
        "exp": claims.expires_at,
        "sid": claims.session_id,
    }
    message = f"{_encode_json(header)}.{_encode_json(payload)}"
    return f"{message}.{_encode(keys.signature(keys.current, message.encode()))}"


def verify_token(token: str, keys: KeyRing, audience: str, clock: Clock | None = None) -> TokenClaims:
    """Check signature, algorithm, audience and expiry of a JWT and return its claims.

    The algorithm is fixed: a token that asks for another one (such as "none") is refused. Implements ADR-0002.
    """
    try:
        head, body, tail = token.split(".")
        header, payload = json.loads(_decode(head)), json.loads(_decode(body))
        given = _decode(tail)
    except (ValueError, binascii.Error) as exc:
        raise TokenError("malformed token") from exc
    if header.get("alg") != "HS256":
        raise TokenError("unexpected algorithm")
    if not hmac.compare_digest(given, keys.signature(header.get("kid", ""), f"{head}.{body}".encode())):
        raise TokenError("bad signature")
    if payload["aud"] != audience:
        raise TokenError(f"meant for {payload['aud']!r}")
    now = (clock or SystemClock()).now().timestamp()
    if now > payload["exp"] + CLOCK_SKEW_SECONDS:
        raise TokenError("expired")
    return TokenClaims(
        payload["sub"], payload["aud"], tuple(payload["roles"]), payload["exp"], payload["sid"]
    )


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _encode_json(value: dict[str, object]) -> str:
    return _encode(json.dumps(value, separators=(",", ":")).encode())


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
