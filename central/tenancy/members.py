"""What a person may do and see: the same record as a token's, failing closed."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

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


class Rights(NamedTuple):
    """What a person may do in an organisation, and see; where it says None, everything."""

    scopes: frozenset[str]
    repositories: frozenset[str] | None = None
    visibilities: frozenset[str] | None = None


class Standing(NamedTuple):
    """A person before an organisation, as the tables say it. `role` is None for no member."""

    is_active: bool
    is_superuser: bool
    role: str | None
    repositories: list[str] | None
    visibilities: list[str] | None

    def rights(self) -> Rights | None:
        """None: none at all."""
        if not self.is_active:
            return None
        if self.is_superuser:
            return Rights(SCOPES[Role.ADMIN])
        if self.role is None:
            return None
        scopes = SCOPES.get(Role(self.role), frozenset())
        return Rights(scopes, as_set(self.repositories), as_set(self.visibilities))


def organizations_of(user: "User") -> "QuerySet[Organization]":
    """The organisations that a person may look at; a superuser's are all."""
    if not user.is_active:
        return Organization.objects.none()
    if user.is_superuser:
        return Organization.objects.all()
    return Organization.objects.filter(memberships__user=user)


def credential_of_member(*, user: "User", slug: str) -> Credential:
    """What the person may do in that organisation. Raises NotFoundError, for whatever reason."""
    organization = Organization.objects.filter(slug=slug).first()
    rights = None if organization is None else rights_of(user, organization)
    if organization is None or rights is None:
        raise NotFoundError(
            "There is no such organisation for you. An administrator adds members.",
            code="organization_not_found",
        )
    return Credential(
        organization,
        rights.scopes,
        rights.repositories,
        None,
        visibilities=rights.visibilities,
        is_personal=True,
    )


def rights_of(user: "User", organization: Organization) -> Rights | None:
    """What the person may do there now; None: nothing at all."""
    found = Membership.objects.filter(user=user, organization=organization).first()
    return Standing(
        user.is_active,
        user.is_superuser,
        found.role if found else None,
        found.repositories if found else None,
        found.visibilities if found else None,
    ).rights()


def as_set(values: Collection[str] | None) -> frozenset[str] | None:
    """None stays None: it is everything, where an empty set is nothing."""
    return None if values is None else frozenset(values)
