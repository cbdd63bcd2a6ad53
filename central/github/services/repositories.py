"""The effect of each GitHub event on an organisation's repositories.

Needs a transaction and, except for pushes and ignored events, the organisation's lock. A repository
is identified by GitHub's id. Its name counts only if it has no id yet and the App sends both.
"""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from central.corpus.branch_lifecycle import change_default_branch, delete_branch
from central.corpus.branches.policy import branch_policy
from central.github.events import (
    BranchChanged,
    BranchDeleted,
    Event,
    Ignored,
    Installed,
    InstalledRepository,
    Push,
    Removed,
    Renamed,
    Uninstalled,
    VisibilityChanged,
    Withdrawn,
)
from central.github.models import GitHubPolicy
from central.repositories.expectations import ListedRepository
from central.repositories.installations import (
    forget_installed,
    forget_removed,
    note_installed,
    rename_installed,
)
from central.repositories.models import Branch, Repository, Visibility
from central.repositories.services import (
    UNKNOWN_ORIGIN,
    adopt_repository,
    record_push,
    record_visibility,
    rename_repository,
    retire_repository,
    take_signed_visibility,
)
from central.repositories.statements import keep_name, keep_removal
from central.tenancy.audit import GITHUB, record
from central.tenancy.models import Organization
from central.tenancy.services.tokens import revoke_bound_tokens
from indexer.records.refs import HEADS

_UNKNOWN = "ignored: no repository here has this id"


def apply_event(*, organization: Organization, event: Event) -> str:
    """Apply the event and return its outcome in words."""
    return _ACTS[type(event)](organization, event)


def _note_push(organization: Organization, event: Push) -> str:
    """Record a push without a lock, because an apply may hold the repository's for minutes."""
    repository = _known(organization, event.repository_id)
    if repository is None:
        return _UNKNOWN
    other = event.ref if event.ref != repository.tracked_ref else ""
    if other and not (repository.generation and branch_policy(repository).wants(other)):
        return "ignored: the ref is not tracked"
    is_last = record_push(
        repository,
        commit_sha=event.after,
        before=event.before,
        pushed_at=event.pushed_at,
        ref=other,
    )
    return "push noted" if is_last else "ignored: a later push is known"


def _rename(organization: Organization, event: Renamed) -> str:
    repository = _known(organization, event.repository_id)
    if repository is None:
        _note_signed(organization, event)
        if keep_name(
            organization_id=organization.pk, forge_key=event.repository_id, at=event.changed_at
        ):
            rename_installed(organization, forge_key=event.repository_id, name=event.name)
        return _UNKNOWN
    before = repository.name
    is_news = rename_repository(repository, event.name, signed_at=event.changed_at)
    _note_signed(organization, event)  # after it, as a name that is taken makes it private
    if not is_news:
        return "ignored: a later name is known"
    if repository.retired_at is not None:
        _note(organization, "repository.retired", before, why=UNKNOWN_ORIGIN)
        return f"retired: {UNKNOWN_ORIGIN}"
    rename_installed(organization, forge_key=event.repository_id, name=repository.name)
    repository.web_url = event.web_url
    repository.save(update_fields=["web_url"])
    _note(organization, "repository.renamed", repository.name, before=before)
    return "renamed"


def _retire(organization: Organization, event: Removed) -> str:
    # By this service's clock: an earlier id token must not restore the repository.
    keep_removal(organization_id=organization.pk, forge_key=event.repository_id, at=timezone.now())
    revoke_bound_tokens(organization_id=organization.pk, repository_id=event.repository_id)
    forget_removed(organization, forge_key=event.repository_id)
    repository = _known(organization, event.repository_id)
    if repository is None:
        return _UNKNOWN
    retire_repository(repository)
    why = "deleted" if event.new_owner_id is None else "transferred"
    _note(organization, "repository.retired", repository.name, why=why)
    return f"retired: {why}"


def _follow_branch(organization: Organization, event: BranchChanged) -> str:
    repository = _known(organization, event.repository_id)
    if repository is None:
        return _UNKNOWN
    old, new = f"{HEADS}{event.old}", f"{HEADS}{event.new}"
    if not change_default_branch(repository, old=old, new=new):
        return "ignored: another branch is tracked"
    _note(organization, "repository.branch", repository.name, before=event.old, after=event.new)
    return "tracked branch changed"


def _delete_branch(organization: Organization, event: BranchDeleted) -> str:
    repository = _known(organization, event.repository_id)
    if repository is None:
        return _UNKNOWN
    branch = Branch.objects.filter(repository=repository, ref=event.ref).first()
    if branch is None:
        return "ignored: no such branch is indexed beside the default one"
    if branch.indexed_at is not None and branch.indexed_at > event.deleted_at:
        return "ignored: the branch was indexed since"  # if it is gone, the nightly list says so
    delete_branch(branch)
    _note(organization, "branch.deleted", repository.name, ref=event.ref)
    return "branch deleted"


def takes_long(organization: Organization, event: Event) -> bool:
    """Whether to apply an event may take longer than the forge waits: rows of branches move."""
    if isinstance(event, BranchDeleted):
        ref = event.ref
    elif isinstance(event, BranchChanged):
        ref = f"{HEADS}{event.new}"
    else:
        return False
    return Branch.objects.filter(
        repository__organization=organization,
        repository__forge_key=event.repository_id,
        repository__retired_at=None,
        ref=ref,
    ).exists()


def _change_visibility(organization: Organization, event: VisibilityChanged) -> str:
    repository = _known(organization, event.repository_id)
    is_news = _note_signed(organization, event)
    if repository is None:
        return _UNKNOWN
    if not is_news:
        return "ignored: a later visibility is known"
    _note(
        organization,
        "repository.visibility",
        repository.name,
        before=repository.visibility,
        after=event.visibility,
    )
    return f"visibility: {event.visibility}"


def _note_signed(organization: Organization, event: VisibilityChanged | Renamed) -> bool:
    """Record the visibility, also of an unknown repository: older messages may follow."""
    return record_visibility(
        organization_id=organization.pk,
        forge_key=event.repository_id,
        visibility=event.visibility,
        at=event.changed_at,
    )


def _install(organization: Organization, event: Installed) -> str:
    has_policy = GitHubPolicy.objects.filter(organization=organization).update(
        installation_id=event.installation_id
    )
    known = _listed(organization, event.repositories)
    for repository, listed in known:
        _identify(organization, repository, listed)
    note_installed(
        organization,
        installation_id=event.installation_id,
        listed=[
            ListedRepository(
                installed_repository.name,
                installed_repository.repository_id,
                _listed_visibility(installed_repository),
            )
            for installed_repository in event.repositories
        ],
    )
    noted = "installation noted" if has_policy else "no policy to note the installation in"
    return f"{noted}, {len(known)} known repositories"


def _listed(
    organization: Organization, listed: tuple[InstalledRepository, ...]
) -> list[tuple[Repository, InstalledRepository]]:
    """Return those that are known by their id or, without an id, by their name."""
    here = Repository.objects.filter(organization=organization, retired_at=None)
    ids, names = {item.repository_id for item in listed}, {item.name for item in listed}
    by_id = {repository.forge_key: repository for repository in here.filter(forge_key__in=ids)}
    unidentified = here.filter(forge_key=None, name__in=names)
    by_name = {repository.name: repository for repository in unidentified}
    found = ((by_id.get(item.repository_id) or by_name.get(item.name), item) for item in listed)
    return [(repository, item) for repository, item in found if repository is not None]


def _identify(
    organization: Organization, repository: Repository, listed: InstalledRepository
) -> None:
    """Record id and visibility. Writes only news, so that it rarely waits for an apply."""
    before = (repository.forge_key, repository.visibility)
    if repository.forge_key is None:
        adopt_repository(repository, listed.repository_id)
        take_signed_visibility(repository)
    _note_listed(organization, repository, listed)
    repository.refresh_from_db(fields=["forge_key", "visibility"])
    after = (repository.forge_key, repository.visibility)
    if before == after:
        return
    _note(
        organization,
        "repository.identified",
        repository.name,
        before=list(before),
        after=list(after),
    )


def _note_listed(
    organization: Organization, repository: Repository, listed: InstalledRepository
) -> None:
    """Record a listed visibility. It has no time, so it never overrides a dated private one."""
    if listed.is_private and repository.visibility != Visibility.PUBLIC:
        return  # it may be internal, which a list does not distinguish
    said = _listed_visibility(listed)
    is_news = record_visibility(
        organization_id=organization.pk,
        forge_key=listed.repository_id,
        visibility=said,
        at=None,
    )
    if listed.is_private and not is_news:
        repository.visibility = said
        repository.save(update_fields=["visibility"])


def _listed_visibility(listed: InstalledRepository) -> Visibility:
    return Visibility.PRIVATE if listed.is_private else Visibility.PUBLIC


def _withdraw(organization: Organization, event: Withdrawn) -> str:
    forget_installed(
        organization, installation_id=event.installation_id, forge_keys=event.repository_ids
    )
    return f"{len(event.repository_ids)} repositories are listed no more"


def _uninstall(organization: Organization, event: Uninstalled) -> str:
    forget_installed(organization, installation_id=event.installation_id)
    was_noted = GitHubPolicy.objects.filter(
        organization=organization, installation_id=event.installation_id
    ).update(installation_id=None)
    return "installation removed" if was_noted else "ignored: the installation was not noted"


def _note(organization: Organization, action: str, name: str, **detail: object) -> None:
    record(actor=GITHUB, action=action, target=name, organization=organization, detail=detail)


def _known(organization: Organization, repository_id: int) -> Repository | None:
    return (
        Repository.objects.select_related("organization")
        .filter(organization=organization, forge_key=repository_id, retired_at=None)
        .first()
    )


_ACTS: dict[type[Any], Callable[[Organization, Any], str]] = {
    Ignored: lambda _, event: event.reason,
    Push: _note_push,
    Renamed: _rename,
    Removed: _retire,
    BranchChanged: _follow_branch,
    BranchDeleted: _delete_branch,
    VisibilityChanged: _change_visibility,
    Installed: _install,
    Uninstalled: _uninstall,
    Withdrawn: _withdraw,
}
