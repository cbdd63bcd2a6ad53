"""What a signed-in person may do and see: the same record as a token's, failing closed."""

from typing import TYPE_CHECKING

from central.common.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.tenancy.models import Membership, Organization, Role, Scope

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

SCOPES = {
    Role.MEMBER: frozenset({Scope.SEARCH.value}),
    Role.ADMIN: frozenset({Scope.SEARCH.value, Scope.INDEX.value, Scope.ADMIN.value}),
}


def organizations_of(user: "User") -> "QuerySet[Organization]":
    """The organisations that a person may look at; a superuser's are all."""
    if not user.is_active:
        return Organization.objects.none()
    if user.is_superuser:
        return Organization.objects.all()
    return Organization.objects.filter(memberships__user=user)


def credential_of_member(*, user: "User", slug: str) -> Credential:
    """What the person may do in that organisation. Raises NotFoundError, for whatever reason."""
    organization = organizations_of(user).filter(slug=slug).first()
    if organization is None:
        raise NotFoundError(
            "There is no such organisation for you. An administrator adds members.",
            code="organization_not_found",
        )
    if user.is_superuser:
        return Credential(organization, SCOPES[Role.ADMIN], None, None)
    membership = Membership.objects.get(user=user, organization=organization)
    return Credential(
        organization,
        SCOPES[Role(membership.role)],
        _set(membership.repositories),
        None,
        visibilities=_set(membership.visibilities),
    )


def _set(values: list[str] | None) -> frozenset[str] | None:
    return None if values is None else frozenset(values)
