"""The secret that signs an organisation's alerts, and the encryption of its address.

Both are derived from SECRET_KEY. After that is changed, messages carry a signature by each former
key too, and an address that a former key encrypted can be read as long as SECRET_KEY_FALLBACKS has
that key, and is soon encrypted again.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from standardwebhooks import Webhook

from central.alerts.models import AlertDestination
from central.errors import ConflictError


def signing_secret(destination: AlertDestination) -> str:
    """Return the `whsec_…` by which the receiver verifies messages; never stored."""
    return next(_signing_secrets(destination))


def signature_headers(
    destination: AlertDestination, *, message_id: UUID, at: datetime, body: bytes
) -> dict[str, str]:
    """Return the headers of Standard Webhooks for a body, as of `at`."""
    text = body.decode()
    signatures = [
        Webhook(secret).sign(str(message_id), at, text) for secret in _signing_secrets(destination)
    ]
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def seal(address: str) -> str:
    """Encrypt an address."""
    return _box().encrypt(address.encode()).decode()


def open_address(destination: AlertDestination) -> str:
    """Decrypt a destination's address. Raises ConflictError (`alert_address_unreadable`)."""
    try:
        return _box().decrypt(destination.sealed_address.encode()).decode()
    except InvalidToken as exc:
        raise ConflictError(
            "The address was encrypted under another SECRET_KEY; set it again.",
            code="alert_address_unreadable",
        ) from exc


def is_sealed_by_former_key(destination: AlertDestination) -> bool:
    """Whether the address can be read, but only by a key of SECRET_KEY_FALLBACKS."""
    sealed = destination.sealed_address.encode()
    try:
        _fernet(settings.SECRET_KEY).decrypt(sealed)
    except InvalidToken:
        with suppress(InvalidToken):
            return bool(_box().decrypt(sealed))
    return False


def _signing_secrets(destination: AlertDestination) -> Iterator[str]:
    what = f"alerts:{destination.pk}:{destination.secret_version}"
    for key in _keys():
        yield "whsec_" + base64.b64encode(_derived(key, what)).decode()


def _box() -> MultiFernet:
    return MultiFernet([_fernet(key) for key in _keys()])


def _fernet(key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_derived(key, "alerts address")))


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _derived(key: str, what: str) -> bytes:
    return hmac.new(key.encode(), what.encode(), hashlib.sha256).digest()
