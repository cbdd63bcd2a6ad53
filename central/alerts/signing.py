"""The secret that signs an organisation's alerts, and the encryption of its address.

Both are derived from SECRET_KEY. After that is changed, messages carry a signature by each former
key too, and an address that a former key encrypted can be read as long as SECRET_KEY_FALLBACKS has
that key, and is soon encrypted again.
"""

import base64
from collections.abc import Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

from standardwebhooks import Webhook

from central import encryption
from central.alerts.models import AlertDestination
from central.errors import ConflictError

_ADDRESS: Final = "alerts address"


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
    return encryption.seal(address, purpose=_ADDRESS)


def open_address(destination: AlertDestination) -> str:
    """Decrypt a destination's address. Raises ConflictError (`alert_address_unreadable`)."""
    address = encryption.unseal(destination.sealed_address, purpose=_ADDRESS)
    if address is None:
        raise ConflictError(
            "The address was encrypted under another SECRET_KEY; set it again.",
            code="alert_address_unreadable",
        )
    return address


def is_sealed_by_former_key(destination: AlertDestination) -> bool:
    """Whether the address can be read, but only by a key of SECRET_KEY_FALLBACKS."""
    return encryption.is_sealed_by_former_key(destination.sealed_address, purpose=_ADDRESS)


def _signing_secrets(destination: AlertDestination) -> Iterator[str]:
    what = f"alerts:{destination.pk}:{destination.secret_version}"
    for key in encryption.derived_keys(what):
        yield "whsec_" + base64.b64encode(key).decode()
