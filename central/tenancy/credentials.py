"""Credentials: the permissions of a token or a signed-in member.

A credential holds limits only. central.repositories.visibility decides what it sees.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from central.errors import ForbiddenError, NotFoundError
from central.tenancy.models import Membership, Organization, Role, Scope, parse_organization_slug

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class Binding:
    """The one commit of one repository that a keyless credential may index, as GitHub signed it.

    `repository_id` is GitHub's, `project` the repository's name there without its owner,
    `visibility` public, internal or private, `ref` a full name, `url` its address there, "" if
    unknown. `signed_at` is GitHub's clock; None: an earlier version made the token.
    """

    repository_id: int
    project: str
    visibility: str
    ref: str
    commit_sha: str
    url: str = ""
    signed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Credential:
    """The permissions of a caller. Every limit that is not None must hold.

    `repositories` are names, `visibilities` public, internal, private.
    """

    organization: Organization
    scopes: frozenset[str]
    repositories: frozenset[str] | None
    api_token_id: int | None
    visibilities: frozenset[str] | None = None
    binding: Binding | None = None
    is_personal: bool = False
    is_job: bool = False  # made of a forge's id token, for minutes

    @property
    def sees_all(self) -> bool:
        """Whether it sees all of its organisation, including what is in no repository."""
        limits = (self.repositories, self.visibilities, self.binding)
        return all(limit is None for limit in limits)

    @property
    def is_of_whole_organization(self) -> bool:
        """Whether nothing limits it: only then are its ids and addresses trusted."""
        return not self.is_personal and self.sees_all

    def require_whole_organization(self) -> None:
        """Raise ForbiddenError unless the credential sees all of its organisation and is no job's.

        The codes are `job_token_refused` and `whole_organization_required`.
        """
        if self.is_job:
            raise ForbiddenError(
                "A job's short-lived token is not given the whole organisation. Use an API token.",
                code="job_token_refused",
            )
        if not self.sees_all:
            raise ForbiddenError(
                "The answer holds the whole organisation. Use a credential without restrictions "
                "to repositories or visibilities.",
                code="whole_organization_required",
            )

    def require_scope(self, scope: Scope) -> None:
        """Raise ForbiddenError unless the credential has `scope`."""
        if scope not in self.scopes:
            raise ForbiddenError(
                f"This needs the scope '{scope}'; the credential has "
                f"{', '.join(sorted(self.scopes)) or 'none'}. Ask an administrator for a token "
                f"with '{scope}'.",
                code="insufficient_scope",
            )

    def require_organization(self, org_id: str) -> Organization:
        """Return the credential's organisation. Raises NotFoundError if `org_id` names another."""
        if parse_organization_slug(org_id) != self.organization.slug:
            raise NotFoundError(
                "There is no such organisation for this credential; check org_id.",
                code="organization_not_found",
            )
        return self.organization


SCOPES = {
    Role.MEMBER: frozenset({Scope.SEARCH.value}),
    Role.ADMIN: frozenset({Scope.SEARCH.value, Scope.INDEX.value, Scope.ADMIN.value}),
}


class Permissions(NamedTuple):
    """A person's scopes and limits in an organisation; None does not limit."""

    scopes: frozenset[str]
    repositories: frozenset[str] | None = None
    visibilities: frozenset[str] | None = None


class MembershipRow(NamedTuple):
    """A person's columns for an organisation. `role` is None for a non-member."""

    is_active: bool
    is_superuser: bool
    role: str | None
    repositories: list[str] | None
    visibilities: list[str] | None

    def permissions(self) -> Permissions | None:
        """Return the permissions; None: none at all."""
        if not self.is_active:
            return None
        if self.is_superuser:
            return Permissions(SCOPES[Role.ADMIN])
        if self.role is None:
            return None
        scopes = SCOPES.get(Role(self.role), frozenset())
        return Permissions(scopes, as_set(self.repositories), as_set(self.visibilities))


def organizations_of(user: "User") -> "QuerySet[Organization]":
    """Return the organisations of a person; a superuser has all."""
    if not user.is_active:
        return Organization.objects.none()
    if user.is_superuser:
        return Organization.objects.all()
    return Organization.objects.filter(memberships__user=user)


def credential_of_member(*, user: "User", slug: str) -> Credential:
    """Return a person's credential. Raises one NotFoundError, whatever the reason."""
    organization = Organization.objects.filter(slug=slug).first()
    permissions = None if organization is None else permissions_of(user, organization)
    if organization is None or permissions is None:
        raise NotFoundError(
            "There is no such organisation for you. An administrator adds members.",
            code="organization_not_found",
        )
    return Credential(
        organization,
        permissions.scopes,
        permissions.repositories,
        None,
        visibilities=permissions.visibilities,
        is_personal=True,
    )


def permissions_of(user: "User", organization: Organization) -> Permissions | None:
    """Return a person's present permissions; None: none at all."""
    found = Membership.objects.filter(user=user, organization=organization).first()
    return MembershipRow(
        user.is_active,
        user.is_superuser,
        found.role if found else None,
        found.repositories if found else None,
        found.visibilities if found else None,
    ).permissions()


def as_set(values: Collection[str] | None) -> frozenset[str] | None:
    """Return a set; None stays None, which is everything, while an empty set is nothing."""
    return None if values is None else frozenset(values)
