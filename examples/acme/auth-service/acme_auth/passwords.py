"""Storing and checking passwords with scrypt."""

import base64
import hashlib
import hmac
import secrets

_COST = 2**14
_BLOCK_SIZE = 8
_SALT_BYTES = 16
MIN_LENGTH = 12


class WeakPasswordError(ValueError):
    """The password is too short or one that everybody uses."""


_COMMON = frozenset({"password1234", "123456789012", "qwertyuiop12", "letmeinplease"})


def hash_password(password: str) -> str:
    """Hash with a fresh salt, as `scrypt$cost$salt$digest`. Raises WeakPasswordError."""
    if len(password) < MIN_LENGTH or password.lower() in _COMMON:
        raise WeakPasswordError(f"use at least {MIN_LENGTH} characters that are not a common password")
    salt = secrets.token_bytes(_SALT_BYTES)
    return f"scrypt${_COST}${_b64(salt)}${_b64(_derive(password, salt, _COST))}"


def verify_password(password: str, stored: str) -> bool:
    """Compare in constant time."""
    _, cost, salt, digest = stored.split("$")
    return hmac.compare_digest(_derive(password, base64.b64decode(salt), int(cost)), base64.b64decode(digest))


def needs_rehash(stored: str) -> bool:
    """Whether the hash was made with a lower cost than today's; re-hash at the next log-in."""
    return int(stored.split("$")[1]) < _COST


def _derive(password: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=cost, r=_BLOCK_SIZE, p=1, dklen=32)


def _b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
