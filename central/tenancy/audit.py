"""The audit log: one function that writes it, and the names of who acts."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from central.common.logs import bound_request_id
from central.tenancy.credentials import Credential
from central.tenancy.models import ApiToken, AuditEntry, Organization

COMMAND = "command"  # manage.py, by whoever may run it
GITHUB = "github"
SSO = "sso"  # a first sign-in at the provider
SERVICE = "service"  # its own nightly work

_LONGEST = 300


def record(
    *,
    actor: str,
    action: str,
    target: str,
    organization: Organization | str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Note a change in the transaction that makes it. `detail` must be JSON and hold no secret."""
    AuditEntry.objects.create(
        actor=actor[:200],
        action=action,
        organization=str(organization),
        target=target[:_LONGEST],
        detail=dict(detail or {}),
        request_id=bound_request_id(),
    )


def user_actor(user: AbstractBaseUser) -> str:
    """A person."""
    return f"user {user.get_username()}"


def token_actor(token: ApiToken) -> str:
    """A program, by its token."""
    return f"token {token.label}"


def credential_actor(credential: Credential) -> str:
    """Who is behind a request: its token, or a member at a page."""
    if credential.api_token_id is None:
        return "member"
    return token_actor(ApiToken.objects.get(pk=credential.api_token_id))
