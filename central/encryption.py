"""Encryption of what is stored and must be read again, by keys derived from SECRET_KEY.

What a key of SECRET_KEY_FALLBACKS encrypted can be read, too.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def derived_keys(purpose: str) -> Iterator[bytes]:
    """Yield 32 bytes for `purpose`, of the present key and of each former one."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield hmac.new(key.encode(), purpose.encode(), hashlib.sha256).digest()


def seal(text: str, *, purpose: str) -> str:
    """Encrypt."""
    return _box(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, *, purpose: str) -> str | None:
    """Decrypt; None if no key of now encrypted it."""
    try:
        return _box(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def is_sealed_by_former_key(sealed: str, *, purpose: str) -> bool:
    """Whether it can be read, but only by a key of SECRET_KEY_FALLBACKS."""
    present, *_ = _fernets(purpose)
    try:
        present.decrypt(sealed.encode())
    except InvalidToken:
        return unseal(sealed, purpose=purpose) is not None
    return False


def _box(purpose: str) -> MultiFernet:
    return MultiFernet(_fernets(purpose))


def _fernets(purpose: str) -> list[Fernet]:
    return [Fernet(base64.urlsafe_b64encode(key)) for key in derived_keys(purpose)]
