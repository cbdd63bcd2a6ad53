"""API tokens: their format, what is stored of them, and their credentials."""

import hashlib
import secrets
from dataclasses import replace
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from central.db import fetch_rows, sql
from central.errors import UnauthenticatedError
from central.http.bearer import TOKEN_PREFIX, invalid_token, is_token
from central.http.turns import forget_caller, remember_caller
from central.tenancy.credentials import (
    Binding,
    Credential,
    MembershipRow,
    Permissions,
    as_set,
    permissions_of,
)
from central.tenancy.models import ApiToken, Membership, Organization

_USE_RECORDED_EVERY = timedelta(minutes=1)
_TOKEN = [field.attname for field in ApiToken._meta.concrete_fields]
_ORGANIZATION = [field.attname for field in Organization._meta.concrete_fields]

_OWNER = ["u.is_active", "u.is_superuser", "m.role", "m.repositories", "m.visibilities"]
_TOKEN_END = len(_TOKEN)
_OWNER_END = _TOKEN_END + len(_OWNER)
_BY_DIGEST = sql(
    """SELECT {stored},
        {owner},
        {columns}
    FROM {token} t JOIN {organization} o ON o.id = t.organization_id
        LEFT JOIN {user} u ON u.id = t.owner_id
        LEFT JOIN {membership} m ON m.user_id = u.id AND m.organization_id = o.id
    WHERE t.digest = %s AND o.retired_at IS NULL""",
    stored=", ".join(f"t.{column}" for column in _TOKEN),
    owner=", ".join(_OWNER),
    columns=", ".join(f"o.{column}" for column in _ORGANIZATION),
    token=ApiToken,
    organization=Organization,
    user=User,
    membership=Membership,
)


def new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_digest(token: str) -> bytes:
    """Return what is stored of a token. 256 random bits need neither salt nor slow hashing."""
    return hashlib.sha256(token.encode()).digest()


def credential_of(token: str) -> Credential:
    """Return the credential of a token; a personal one never exceeds its owner's permissions.

    A unique index finds the digest, so the time taken reveals nothing about other tokens. It is
    read for every request, so that a revoked token, or that of a former member, is refused at
    once. Raises UnauthenticatedError.
    """
    if not is_token(token):
        raise invalid_token()
    try:
        credential = _looked_up(token)
    except UnauthenticatedError:
        forget_caller(token)
        raise
    remember_caller(token, credential.organization.pk)
    return credential


def _looked_up(token: str) -> Credential:
    found = fetch_rows(_BY_DIGEST, [token_digest(token)])
    if not found:
        raise invalid_token()
    row = found[0]
    stored = ApiToken.from_db("default", _TOKEN, row[:_TOKEN_END])
    now = timezone.now()
    _check_valid(stored, now)
    stored.organization = Organization.from_db("default", _ORGANIZATION, row[_OWNER_END:])
    credential = _credential(stored)
    if stored.owner_id is not None:
        permissions = MembershipRow(*row[_TOKEN_END:_OWNER_END]).permissions()
        if permissions is None:
            raise UnauthenticatedError(
                "The person who made the token has left the organisation; ask an "
                "administrator to add them again, or for a token of another.",
                code="token_owner_gone",
            )
        credential = _restrict(credential, permissions)
    if stored.last_used_at is None or stored.last_used_at < now - _USE_RECORDED_EVERY:
        due = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_RECORDED_EVERY)
        ApiToken.objects.filter(due, pk=stored.id).update(last_used_at=now)
    return credential


def _check_valid(stored: ApiToken, now: datetime) -> None:
    if stored.revoked_at is not None:
        raise UnauthenticatedError(
            "The token was revoked; make another, or ask an administrator for one.",
            code="token_revoked",
        )
    if stored.expires_at is not None and stored.expires_at <= now:
        raise UnauthenticatedError(
            "The token has expired; make another, or ask an administrator for one.",
            code="token_expired",
        )


def credential_of_token(token: ApiToken) -> Credential:
    """Return the permissions of a stored token, whether or not it is still valid.

    A token whose owner has no permissions left sees nothing.
    """
    credential = _credential(token)
    if token.owner is None:
        return credential
    nothing = Permissions(frozenset(), frozenset())
    return _restrict(credential, permissions_of(token.owner, token.organization) or nothing)


def _credential(stored: ApiToken) -> Credential:
    return Credential(
        organization=stored.organization,
        scopes=frozenset(stored.scopes),
        repositories=as_set(stored.repositories),
        api_token_id=stored.id,
        visibilities=as_set(stored.visibilities),
        binding=_binding(stored),
        is_job=stored.is_short_lived and not stored.is_local,
        is_personal=stored.owner_id is not None,
    )


def _restrict(credential: Credential, permissions: Permissions) -> Credential:
    """Return the intersection of both."""
    return replace(
        credential,
        scopes=credential.scopes & permissions.scopes,
        repositories=_both(credential.repositories, permissions.repositories),
        visibilities=_both(credential.visibilities, permissions.visibilities),
    )


def _both(left: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if left is None or other is None:
        return other if left is None else left
    return left & other


def _binding(stored: ApiToken) -> Binding | None:
    if stored.bound_repository_id is None:
        return None
    return Binding(
        repository_id=stored.bound_repository_id,
        project=stored.bound_project,
        visibility=stored.bound_visibility,
        ref=stored.bound_ref,
        commit_sha=stored.bound_commit,
        url=stored.bound_url,
        signed_at=stored.bound_at,
    )


def bind_to_job(token: ApiToken, binding: Binding) -> None:
    """Restrict an unsaved token to indexing this commit."""
    token.bound_repository_id = binding.repository_id
    token.bound_project = binding.project
    token.bound_visibility = binding.visibility
    token.bound_ref = binding.ref
    token.bound_commit = binding.commit_sha
    token.bound_url = binding.url
    token.bound_at = binding.signed_at
