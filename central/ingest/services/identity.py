"""The repository of a run, and whose statements about it count.

GitHub's id identifies a repository where GitHub signed it, in an id token, or where a credential of
the whole organisation says it. For all others, only the name counts.
"""

from dataclasses import dataclass, replace

from django.conf import settings

from central.errors import ConflictError, ForbiddenError, NotFoundError
from central.repositories.expectations import TAKES_PLACE, takes_place
from central.repositories.models import ExpectedBy, Repository, Visibility
from central.repositories.services import (
    UNKNOWN_ORIGIN,
    adopt_repository,
    free_name,
    is_taken,
    rename_repository,
    take_signed_visibility,
)
from central.repositories.statements import keep_name
from central.repositories.visibility import is_visible_name, visible_repositories
from central.tenancy.audit import credential_actor, record
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization


@dataclass(frozen=True, slots=True)
class RequestedRepository:
    """A repository as a client names it; `tracked_ref` is for a new one."""

    project: str
    forge_key: int | None
    tracked_ref: str


def repository_of(
    *, organization: Organization, credential: Credential, named: RequestedRepository
) -> Repository:
    """Find the requested repository; it is created, renamed or identified if necessary.

    Needs the organisation's lock. Raises NotFoundError (`repository_not_found`), ForbiddenError
    (`repository_mismatch`), ConflictError (`too_many_repositories`); then the transaction must be
    rolled back.
    """
    named = replace(named, forge_key=_trusted_id(credential, named.forge_key))
    found = _find(organization, credential, named) or _create(organization, credential, named)
    if not visible_repositories(credential=credential).filter(pk=found.pk).exists():
        raise _not_found()  # the same for a hidden one and a new one
    if not takes_place(found):
        _announce(organization, found)
    if not found.tracked_ref:  # it was announced before its first run
        found.tracked_ref = named.tracked_ref
        found.save(update_fields=["tracked_ref"])
    return found


def require_nameable(credential: Credential, name: str) -> None:
    """Raise NotFoundError for a name that the credential is not for."""
    if not is_visible_name(credential=credential, name=name):
        raise _not_found()


def _trusted_id(credential: Credential, said: int | None) -> int | None:
    if credential.binding is not None:
        return credential.binding.repository_id
    return said if credential.is_of_whole_organization else None


def _find(
    organization: Organization, credential: Credential, named: RequestedRepository
) -> Repository | None:
    """Find by GitHub's id before the name: a renamed repository stays the same one."""
    repositories = Repository.objects.filter(
        organization=organization, retired_at=None
    ).select_related("organization")
    holder = repositories.filter(name=named.project).first()
    if named.forge_key is None:
        return holder
    known = repositories.filter(forge_key=named.forge_key).first()
    if known is not None:
        require_nameable(credential, known.name)
        _rename(credential, known, named.project)
        if known.retired_at is None:
            return known
    _require_name(organization, credential, named.project, named.forge_key)
    if holder is None:
        return None
    if holder.forge_key is None:
        _adopt(credential, holder, named.forge_key)
        return holder
    free_name(holder)
    _note(credential, "repository.displaced", named.project, forge_key=holder.forge_key)
    return None


def _require_name(
    organization: Organization, credential: Credential, name: str, forge_key: int
) -> None:
    """Refuse a new repository under a name that GitHub has replaced since."""
    bound = credential.binding
    if bound is None or bound.signed_at is None:
        return
    is_last = keep_name(organization_id=organization.pk, forge_key=forge_key, at=bound.signed_at)
    if not is_last or is_taken(
        organization_id=organization.pk, name=name, signed_at=bound.signed_at
    ):
        raise ForbiddenError(
            f"GitHub has said since that the repository is not '{name}' any more. Run the "
            "workflow again.",
            code="repository_mismatch",
        )


def _rename(credential: Credential, repository: Repository, name: str) -> None:
    before = repository.name
    bound = credential.binding
    rename_repository(repository, name, signed_at=bound.signed_at if bound else None)
    detail = {"before": before, "forge_key": repository.forge_key}
    if repository.retired_at is not None:
        _note(credential, "repository.retired", before, why=UNKNOWN_ORIGIN)
    elif repository.name != before:
        _note(credential, "repository.renamed", repository.name, **detail)


def _adopt(credential: Credential, repository: Repository, forge_key: int) -> None:
    adopt_repository(repository, forge_key)
    _take_visibility(credential, repository)
    _note(credential, "repository.identified", repository.name, forge_key=forge_key)


def _create(
    organization: Organization, credential: Credential, named: RequestedRepository
) -> Repository:
    _require_room(organization)
    repository = Repository.objects.create(
        organization=organization,
        name=named.project,
        forge_key=named.forge_key,
        tracked_ref=named.tracked_ref,
        visibility=Visibility.PRIVATE,
    )
    _take_visibility(credential, repository)
    return repository


def _announce(organization: Organization, found: Repository) -> None:
    """Let a run announce what has no place yet; a backfill opens runs of what it announced."""
    _require_room(organization)
    if found.expected_by != ExpectedBy.BACKFILL:
        found.expected_by = ExpectedBy.RUN
        found.save(update_fields=["expected_by"])


def _require_room(organization: Organization) -> None:
    here = Repository.objects.filter(TAKES_PLACE, organization=organization, retired_at=None)
    there = here.count()
    if there >= settings.REPOSITORIES_MAX:
        raise ConflictError(
            f"The organisation may have {settings.REPOSITORIES_MAX} repositories, and has them; an "
            "administrator can delete some, or raise AETERNA_REPOSITORIES_MAX.",
            code="too_many_repositories",
        )


def _take_visibility(credential: Credential, repository: Repository) -> None:
    """Take the visibility that GitHub signed; an unsigned id has none."""
    if credential.binding is not None:
        take_signed_visibility(repository, default=credential.binding.visibility)


def _note(credential: Credential, action: str, name: str, **detail: object) -> None:
    record(
        actor=credential_actor(credential),
        action=action,
        target=name,
        organization=credential.organization,
        detail=detail,
    )


def _not_found() -> NotFoundError:
    return NotFoundError(
        "There is no such repository for this credential; check project_id.",
        code="repository_not_found",
    )
