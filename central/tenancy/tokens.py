"""API tokens: how they are made, what is kept of them, and whose they are."""

import hashlib
import re
import secrets
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from central.common.errors import UnauthenticatedError
from central.tenancy.credentials import Credential
from central.tenancy.models import ApiToken

TOKEN_PREFIX = "aet_"  # noqa: S105 (what secret scanners know it by)
_TOKEN = re.compile(rf"{TOKEN_PREFIX}[A-Za-z0-9_-]{{43}}\Z")
_USE_RECORDED_EVERY = timedelta(minutes=1)


def new_token() -> str:
    """A token of 32 random bytes."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_digest(token: str) -> bytes:
    """What is stored of a token. Its 256 random bits need neither salt nor slow hashing."""
    return hashlib.sha256(token.encode()).digest()


def credential_of(token: str) -> Credential:
    """The credential of a token. Raises UnauthenticatedError.

    Looked up by digest in a unique index, so the time taken tells nothing about other tokens.
    """
    if not _TOKEN.match(token):
        raise unknown_token()
    stored = (
        ApiToken.objects.select_related("organization").filter(digest=token_digest(token)).first()
    )
    now = timezone.now()
    if stored is None:
        raise unknown_token()
    if stored.revoked_at is not None:
        raise UnauthenticatedError(
            "The token was revoked; ask an administrator for another.", code="token_revoked"
        )
    if stored.expires_at is not None and stored.expires_at <= now:
        raise UnauthenticatedError(
            "The token has expired; ask an administrator for another.", code="token_expired"
        )
    if stored.last_used_at is None or stored.last_used_at < now - _USE_RECORDED_EVERY:
        due = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_RECORDED_EVERY)
        ApiToken.objects.filter(due, pk=stored.pk).update(last_used_at=now)
    return Credential(
        organization=stored.organization,
        scopes=frozenset(stored.scopes),
        repositories=None if stored.repositories is None else frozenset(stored.repositories),
        api_token_id=stored.pk,
    )


def unknown_token() -> UnauthenticatedError:
    """The answer to whatever is not a token of this service."""
    return UnauthenticatedError(
        "The credential is not known here; send 'Authorization: Bearer <api token>'.",
        code="invalid_token",
    )
