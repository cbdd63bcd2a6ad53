"""The per-run webhook secret (derived, never stored) and the Standard Webhooks signature.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from contextlib import suppress
from uuid import UUID

from django.conf import settings
from standardwebhooks import Webhook, WebhookVerificationError

from central.errors import UnauthenticatedError

_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def webhook_secret(run_id: UUID) -> str:
    """Return a run's `whsec_…`: HMAC-SHA256 of its id under SECRET_KEY."""
    return _secret_under(settings.SECRET_KEY, run_id)


def _secret_under(secret_key: str, run_id: UUID) -> str:
    key = hmac.new(secret_key.encode(), f"webhook:{run_id}".encode(), hashlib.sha256)
    return "whsec_" + base64.b64encode(key.digest()).decode("ascii")


def verified_run_id(headers: Mapping[str, str], body: bytes) -> UUID:
    """Return the id of the run whose secret signed `body`. Raises UnauthenticatedError.

    Codes: `webhook_signature_missing`, `webhook_stale` (±5 minutes), `webhook_signature_invalid`.
    """
    signed = {name: headers.get(name, "") for name in _HEADERS}
    if not all(signed.values()):
        raise UnauthenticatedError(
            f"The webhook must carry the headers {', '.join(_HEADERS)}.",
            code="webhook_signature_missing",
        )
    try:
        run_id = UUID(signed["webhook-id"])
        _verify(run_id, body, signed)
    except WebhookVerificationError as exc:
        raise _refusal(str(exc)) from exc
    except ValueError as exc:  # not a UUID, not UTF-8, a signature without version or base64
        raise _refusal("") from exc
    return run_id


def _verify(run_id: UUID, body: bytes, signed: Mapping[str, str]) -> None:
    """Verify under former secret keys too: runs may have been opened under them."""
    for secret_key in settings.SECRET_KEY_FALLBACKS:
        with suppress(WebhookVerificationError):
            Webhook(_secret_under(secret_key, run_id)).verify(body, dict(signed), json_parse=False)
            return
    Webhook(webhook_secret(run_id)).verify(body, dict(signed), json_parse=False)


def _refusal(reason: str) -> UnauthenticatedError:
    if reason.startswith("Message timestamp"):
        return UnauthenticatedError(
            "The webhook's timestamp is more than five minutes off; sign and send it again.",
            code="webhook_stale",
        )
    return UnauthenticatedError(
        "The signature does not fit the body; sign the raw bytes with the run's webhook_secret and "
        "send the run's id as webhook-id.",
        code="webhook_signature_invalid",
    )
