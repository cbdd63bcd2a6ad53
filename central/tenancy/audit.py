"""The audit log: who changed what."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Model, QuerySet
from django.forms import Form, ModelForm

from central.errors import validating
from central.observability.logs import bound_request_id
from central.tenancy.credentials import Credential
from central.tenancy.models import ApiToken, AuditEntry, Organization

COMMAND = "command"  # manage.py
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
    """Record a change in its transaction. `detail` must be JSON and hold no secret."""
    AuditEntry.objects.create(
        actor=actor[:200],
        action=action,
        organization=str(organization),
        target=target[:_LONGEST],
        detail=dict(detail or {}),
        request_id=bound_request_id(),
    )


def changed_fields(row: Model, values: Mapping[str, Any]) -> dict[str, Any]:
    """Set and save the fields that differ; return each with its value before and after.

    Raises InvalidError, and nothing is saved.
    """
    changes = {
        name: {"before": before, "after": after}
        for name, after in values.items()
        if (before := getattr(row, name)) != after
    }
    for name in changes:
        setattr(row, name, values[name])
    with validating():
        row.clean_fields(exclude={field.name for field in row._meta.fields} - set(changes))
    if changes:
        row.save(update_fields=list(changes))
    return changes


def user_actor(user: AbstractBaseUser) -> str:
    return f"user {user.get_username()}"


def token_actor(token: ApiToken) -> str:
    return f"token {token.label}"


def credential_actor(credential: Credential) -> str:
    """Return the actor of a request: its token, or a member at a page."""
    if credential.api_token_id is None:
        return "member"
    return token_actor(ApiToken.objects.get(pk=credential.api_token_id))


_SECRET = "password"  # noqa: S105 (what the names of such fields begin with)


def form_values(form: "ModelForm[Any]") -> dict[str, Any]:
    """Return field → value of an added row, without empty values."""
    values = {name: _plain(form.cleaned_data[name]) for name in _named(form, form.cleaned_data)}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def form_changes(form: "ModelForm[Any]") -> dict[str, Any]:
    """Return field → its value before and after, where they differ."""
    return {
        name: {"before": _plain(form.initial.get(name)), "after": _plain(form.cleaned_data[name])}
        for name in _named(form, dict.fromkeys(form.changed_data))
    }


def _named(form: "Form | ModelForm[Any]", names: Mapping[str, Any]) -> Iterator[str]:
    """Return the fields of the row that may be recorded."""
    fields = {field.name for field in form.instance._meta.get_fields()}  # type: ignore[union-attr]
    return (name for name in names if name in fields and not name.startswith(_SECRET))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Model):
        return str(value)
    if isinstance(value, date):  # and every datetime
        return value.isoformat()
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        return [_plain(member) for member in value]
    return str(value)
