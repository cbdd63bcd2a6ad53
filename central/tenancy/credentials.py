"""What a request may do: the one record that every authorisation question is asked of."""

from dataclasses import dataclass
from datetime import datetime

from central.common.errors import ForbiddenError, NotFoundError
from central.tenancy.models import Organization, Scope


@dataclass(frozen=True, slots=True)
class Binding:
    """The one commit of one repository that a keyless credential may index, as GitHub signed it.

    `repository_id` is GitHub's, `project` the repository's name there without its owner,
    `visibility` public, internal or private, `ref` a full name, `url` its address there, "" if
    unknown. `signed_at` is GitHub's clock; None: the token was made by an earlier version.
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
    """Who asks. What it may see is the intersection of all that is not None.

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
        """Whether it sees all of its organisation, what is no repository's too."""
        limits = (self.repositories, self.visibilities, self.binding)
        return all(limit is None for limit in limits)

    @property
    def is_of_whole_organization(self) -> bool:
        """Whether nothing limits it: only then is an id or an address believed without proof."""
        return not self.is_personal and self.sees_all

    def require_whole_organization(self) -> None:
        """Raise ForbiddenError (`job_token_refused`, `whole_organization_required`) unless the
        credential sees all of its organisation and is no job's.
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
        """The credential's organisation if `org_id` names it ('acme' or 'org-acme'), else 404."""
        if org_id.removeprefix("org-") != self.organization.slug:
            raise NotFoundError(
                "There is no such organisation for this credential; check org_id.",
                code="organization_not_found",
            )
        return self.organization
