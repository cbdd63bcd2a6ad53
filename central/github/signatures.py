"""Signatures of GitHub's webhooks, by the App's secret or an organisation's derived one.

https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
"""

import hashlib
import hmac
import re

from django.conf import settings

from central.errors import UnauthenticatedError
from central.tenancy.models import SLUG, Organization, parse_organization_slug

SIGNATURE_HEADER = "X-Hub-Signature-256"

_FIRST_VERSION = 1


def organization_secret(organization: Organization) -> str:
    """Derive the secret of the organisation's own webhooks from SECRET_KEY and its version.

    The version is its policy's, or that of a new policy.
    """
    return _secret_under(settings.SECRET_KEY, organization)


def _secret_under(secret_key: str, organization: Organization) -> str:
    policy = getattr(organization, "github_policy", None)
    version = policy.webhook_secret_version if policy else _FIRST_VERSION
    return _derived(secret_key, f"{organization.pk}:{version}")


def verify_signature(
    *, org_id: str | None, signature: str | None, body: bytes
) -> Organization | None:
    """Return the organisation `org_id` if its secret signed `body`; None if the App's did.

    Raises UnauthenticatedError (`github_signature_missing`, `github_signature_invalid`), alike for
    a wrong signature, an unknown organisation and an App without a secret.
    """
    if not signature:
        raise UnauthenticatedError(
            f"The webhook must be signed: give it a secret on GitHub, which then sends "
            f"{SIGNATURE_HEADER}.",
            code="github_signature_missing",
        )
    organization = None if org_id is None else _named(org_id)
    is_same = [_signed(secret, body, signature) for secret in _valid_secrets(org_id, organization)]
    if not any(is_same):
        raise UnauthenticatedError(
            "The signature does not fit the body. Set the webhook's secret on GitHub to what "
            "`manage.py github_webhook_secret` prints, and its URL to the one that it names; an "
            "App's secret is GITHUB_WEBHOOK_SECRET here.",
            code="github_signature_invalid",
        )
    return organization


def _valid_secrets(org_id: str | None, organization: Organization | None) -> list[str | None]:
    """Return the secrets of now and of before a rotation; None never matches."""
    if org_id is None:
        before = settings.GITHUB_WEBHOOK_SECRET_PREVIOUS
        return [settings.GITHUB_WEBHOOK_SECRET, *([before] if before else [])]
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [_secret_under(key, organization) if organization else None for key in keys]


def _signed(secret: str | None, body: bytes, signature: str) -> bool:
    expected = "sha256=" + _digest(secret or _derived(settings.SECRET_KEY, "unknown"), body)
    is_same = hmac.compare_digest(expected.encode(), signature.encode(errors="replace"))
    return bool(secret) and is_same


def _named(org_id: str) -> Organization | None:
    slug = parse_organization_slug(org_id)
    if not re.match(SLUG, slug):
        return None
    return Organization.objects.select_related("github_policy").filter(slug=slug).first()


def _derived(secret_key: str, of: str) -> str:
    return _digest(secret_key, f"github-webhook:{of}".encode())


def _digest(secret: str, data: bytes) -> str:
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()
