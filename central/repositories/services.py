"""Changes of a repository's name, existence and visibility, and of what was pushed to it.

"Needs the organisation's lock" means a transaction in which the row of `Organization` is locked:
names and GitHub ids are assigned under that lock.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from central.db import execute, sql_with
from central.repositories.models import (
    Branch,
    BranchPush,
    IndexedBy,
    IndexProblem,
    Push,
    Repository,
    Visibility,
)
from central.repositories.statements import (
    keep_name,
    keep_visibility,
    locked_statement_of,
    statement_of,
)
from central.repositories.states import LIVE_RUN_STATES, NOTHING_TO_DO, RunState
from central.tenancy.services.tokens import revoke_bound_tokens
from indexer.records.refs import short_name

_WHERE_TO_LOOK = {
    IndexedBy.ACTION: "Look at the repository's indexing workflow: it may be absent, disabled, "
    "skipped, failing or waiting for a runner.",
    IndexedBy.CENTRAL: "This service clones the repository: its backfill says what it waits for.",
}
UNKNOWN_ORIGIN = "renamed before a run of its own"  # why an index was retired
_REFS_LOCK: Final = 4_907 << 48  # advisory
_LONGEST_NAME = 180  # leaves room for "~" and a key

_sql = sql_with(
    push=Push,
    branch_push=BranchPush,
    is_later="""(known.pushed_at < EXCLUDED.pushed_at
        OR (known.pushed_at = EXCLUDED.pushed_at AND known.commit_sha = %(before)s))""",
)
_NOTE_PUSH = _sql("""INSERT INTO {push} AS known
        (repository_id, commit_sha, pushed_at, is_pending)
    VALUES (%(repository)s, %(commit_sha)s, %(pushed_at)s, TRUE)
    ON CONFLICT (repository_id) DO UPDATE
    SET commit_sha = EXCLUDED.commit_sha, pushed_at = EXCLUDED.pushed_at, is_pending = TRUE
    WHERE {is_later}""")
_NOTE_BRANCH_PUSH = _sql("""INSERT INTO {branch_push} AS known
        (repository_id, ref, commit_sha, pushed_at)
    VALUES (%(repository)s, %(ref)s, %(commit_sha)s, %(pushed_at)s)
    ON CONFLICT (repository_id, ref) DO UPDATE
    SET commit_sha = EXCLUDED.commit_sha, pushed_at = EXCLUDED.pushed_at
    WHERE {is_later}""")


def where_to_look(repository: Repository) -> str:
    """Return what to look at if no run comes for it."""
    return _WHERE_TO_LOOK[IndexedBy(repository.indexed_by)]


def rename_repository(
    repository: Repository, name: str, *, signed_at: datetime | None = None
) -> bool:
    """Rename it; a repository that has the name keeps its index under a generated name.

    `signed_at` is when the forge signed the name, by its clock; None: it did not, and the
    repository becomes private. Returns False, and changes nothing, if the forge signed a later
    name. If the name belongs to another repository by now, this one gets a generated name. An
    index of unknown origin is retired instead. Needs the organisation's lock.
    """
    if signed_at is not None and not _note_name(repository, signed_at):
        return False
    if repository.name == name:
        return True
    if repository.adopted_at is not None:
        retire_repository(repository)
        return True
    if signed_at is not None and is_taken(
        organization_id=repository.organization_id, name=name, signed_at=signed_at
    ):
        free_name(repository)
        return True
    if holder := _holder(repository.organization_id, name):
        free_name(holder)
    repository.name = name
    repository.save(update_fields=["name"])
    if signed_at is None:
        repository.visibility = Visibility.PRIVATE
        repository.save(update_fields=["visibility"])
    return True


def _note_name(repository: Repository, signed_at: datetime) -> bool:
    return repository.forge_key is None or keep_name(
        organization_id=repository.organization_id,
        forge_key=repository.forge_key,
        at=signed_at,
    )


def is_taken(*, organization_id: int, name: str, signed_at: datetime) -> bool:
    """Return whether the forge has since signed the name for another repository.

    An id token and a message may be minutes old.
    """
    holder = _holder(organization_id, name)
    if holder is None or holder.forge_key is None:
        return False
    known = statement_of(organization_id=organization_id, forge_key=holder.forge_key)
    return bool(known and known.named_at and known.named_at > signed_at)


def _holder(organization_id: int, name: str) -> Repository | None:
    return Repository.objects.filter(organization_id=organization_id, name=name).first()


def free_name(repository: Repository) -> None:
    """Give a repository whose name is another's now a generated name; its index stays.

    The forge has not stated what became of it, so it is private until the forge does.
    Needs the organisation's lock.
    """
    repository.name = _own_name(repository)
    repository.visibility = Visibility.PRIVATE
    repository.save(update_fields=["name", "visibility"])


def hold_refs(repository_id: int) -> None:
    """Until the transaction ends, no branch becomes the default one, and no run opens.

    The repository's row would not do: an apply may lock it for minutes. Take that one first.
    """
    execute("SELECT pg_advisory_xact_lock(%s::bigint)", [_REFS_LOCK + repository_id])


def adopt_repository(repository: Repository, forge_key: int) -> None:
    """Give a repository without an id the forge's id; it becomes private.

    No signature says of which repository a present or pending index is. It stays private until a
    run that opens later is applied (`settle_adoption`). Needs the organisation's lock.
    """
    live = Repository.objects.filter(pk=repository.pk, runs__state__in=LIVE_RUN_STATES)
    has_index = repository.generation > 0 or live.exists()
    repository.forge_key = forge_key
    repository.visibility, repository.visibility_at = Visibility.PRIVATE, None
    repository.adopted_at = timezone.now() if has_index else None
    repository.save(update_fields=["forge_key", "visibility", "visibility_at", "adopted_at"])
    # Nor of which its other branches are: they are shown again after full runs that open later.
    Branch.objects.filter(repository=repository).update(
        default_generation=-1, generation=F("generation") + 1
    )


def settle_adoption(*, repository_id: int, opened_at: datetime) -> None:
    """End an adoption before `opened_at`: a run that opened since then is applied.

    Needs the transaction of the apply. Call it late: it blocks processes that record a visibility.
    """
    adopted = Repository.objects.filter(pk=repository_id, adopted_at__lte=opened_at)
    for repository in adopted:
        repository.adopted_at = None
        repository.save(update_fields=["adopted_at"])
        take_signed_visibility(repository)


def take_signed_visibility(repository: Repository, *, default: str = "") -> None:
    """Set the visibility that the forge last signed for its id, or else `default`.

    Does nothing while its index may be of another repository.
    """
    if repository.forge_key is None or repository.adopted_at:
        return
    signed = locked_statement_of(
        organization_id=repository.organization_id, forge_key=repository.forge_key
    )
    if signed and signed.visibility:
        repository.visibility, repository.visibility_at = signed.visibility, signed.visibility_at
    elif default:
        repository.visibility = default
    repository.save(update_fields=["visibility", "visibility_at"])


def _own_name(repository: Repository) -> str:
    """Return a name that no project can have: none may contain "~"."""
    return f"{repository.name[:_LONGEST_NAME]}~{repository.pk}"


def retire_repository(repository: Repository) -> None:
    """Make it invisible at once and permanently; its data is purged later.

    The new generation makes a running apply stale. A running job loses its token, or its next Open
    would restore the repository. Needs the organisation's lock.
    """
    repository.retired_at = timezone.now()
    Repository.objects.filter(pk=repository.pk, retired_at=None).update(
        retired_at=repository.retired_at,
        name=_own_name(repository),
        forge_key=None,
        generation=F("generation") + 1,
    )
    if repository.forge_key is not None:
        revoke_bound_tokens(
            organization_id=repository.organization_id, repository_id=repository.forge_key
        )


def record_visibility(
    *, organization_id: int, forge_key: int, visibility: str, at: datetime | None
) -> bool:
    """Record the visibility that the forge signed at `at`, by its clock; False if outdated.

    An id token may be minutes old. Messages come in any order, also before the repository's row.
    `at` None: the forge gave no time, and any dated statement has priority.
    """
    if not keep_visibility(
        organization_id=organization_id, forge_key=forge_key, visibility=visibility, at=at
    ):
        return False
    # A row that has the value already is not written: an apply may lock it for minutes.
    Repository.objects.filter(
        organization_id=organization_id, forge_key=forge_key, retired_at=None, adopted_at=None
    ).exclude(visibility=visibility).update(visibility=visibility, visibility_at=at)
    return True


def record_push(
    repository: Repository, *, commit_sha: str, before: str, pushed_at: datetime, ref: str = ""
) -> bool:
    """Record a push to the tracked branch; False if a later one is known.

    `ref` is the full name of another branch, if it is to one that is wanted. Messages come in any
    order. `pushed_at` has whole seconds: of two pushes in the same second, the later is the one
    made on top of (`before`) the other.
    """
    push = {"commit_sha": commit_sha, "before": before, "pushed_at": pushed_at}
    if ref:
        return bool(execute(_NOTE_BRANCH_PUSH, {"repository": repository.pk, "ref": ref, **push}))
    return bool(execute(_NOTE_PUSH, {"repository": repository.pk, **push}))


def mark_behind(*, now: datetime) -> int:
    """Mark repositories with a push BEHIND_MINUTES ago that is not indexed; return how many.

    A push is checked until it is indexed or marked. It waits while its repository is paused,
    failed, never indexed or being indexed.
    """
    pushed_before = now - timedelta(minutes=settings.BEHIND_MINUTES)
    due = (
        Push.objects.filter(is_pending=True, pushed_at__lte=pushed_before)
        .filter(repository__retired_at=None)
        .select_related("repository")
    )
    for push in due.filter(_is_indexed()):
        _settle(push)
    of_branches = BranchPush.objects.filter(
        pushed_at__lte=pushed_before, repository__retired_at=None
    ).select_related("repository")
    return sum(_flag(push) for push in _awaited(due)) + sum(map(_flag_branch, of_branches))


def _flag_branch(push: BranchPush) -> bool:
    """Mark a branch as behind unless the push is indexed; either way it is settled then."""
    same = BranchPush.objects.filter(
        pk=push.pk, commit_sha=push.commit_sha, pushed_at=push.pushed_at
    )
    branch = Branch.objects.filter(repository=push.repository_id, ref=push.ref).first()
    if branch is None or _has_indexed(branch, push):
        same.delete()
        return False
    repository = push.repository
    is_live = branch.runs.filter(state__in=LIVE_RUN_STATES).exists()
    if is_live or repository.paused or branch.trouble == IndexProblem.FAILED:
        return False
    flagged = Branch.objects.filter(pk=branch.pk, generation=branch.generation).update(
        trouble=IndexProblem.BEHIND,
        trouble_commit=push.commit_sha,
        trouble_detail=_not_indexed(push, push.ref, repository),
    )
    if flagged:
        same.delete()
    return bool(flagged)


def _has_indexed(branch: Branch, push: BranchPush) -> bool:
    if branch.last_indexed_commit == push.commit_sha:
        return True
    done = Q(state=RunState.APPLIED) | Q(state=RunState.ABANDONED, reason__in=NOTHING_TO_DO)
    runs = branch.runs.filter(done, commit_sha=push.commit_sha, ended_at__gte=push.pushed_at)
    return bool(runs.exists())


def _not_indexed(push: Push | BranchPush, ref: str, repository: Repository) -> str:
    return (
        f"Commit {push.commit_sha} was pushed to {short_name(ref)} at "
        f"{push.pushed_at:%Y-%m-%d %H:%M} UTC and is not indexed. {where_to_look(repository)}"
    )


def _is_indexed() -> Q:
    """The index is of the pushed commit, was since, or is of a later one."""
    is_newer = Q(runs__state=RunState.ABANDONED, runs__reason__in=NOTHING_TO_DO)
    ended = Repository.objects.filter(
        Q(runs__state=RunState.APPLIED) | is_newer,
        runs__branch=None,
        pk=OuterRef("repository_id"),
        runs__commit_sha=OuterRef("commit_sha"),
        runs__ended_at__gte=OuterRef("pushed_at"),
    )
    return Q(commit_sha=F("repository__last_indexed_commit")) | Q(Exists(ended))


def _awaited(due: QuerySet[Push]) -> QuerySet[Push]:
    """Pushes of which nothing else explains that they are not indexed."""
    live = Repository.objects.filter(pk=OuterRef("repository_id"), runs__state__in=LIVE_RUN_STATES)
    return due.filter(
        ~Q(repository__trouble=IndexProblem.FAILED),
        ~Exists(live),
        repository__generation__gt=0,
        repository__paused=False,
    )


def _settle(push: Push) -> bool:
    """Mark the push as settled; return False if another push came meanwhile."""
    same = Push.objects.filter(pk=push.pk, commit_sha=push.commit_sha, pushed_at=push.pushed_at)
    return bool(same.update(is_pending=False))


@transaction.atomic
def _flag(push: Push) -> bool:
    """Mark the repository as behind; False if it was indexed or pushed to meanwhile."""
    repository = push.repository
    # The repository first: while it is waited for, a webhook may need the push's row.
    flagged = Repository.objects.filter(pk=repository.pk, generation=repository.generation).update(
        trouble=IndexProblem.BEHIND,
        trouble_commit=push.commit_sha,
        trouble_detail=_not_indexed(push, repository.tracked_ref, repository),
    )
    if not flagged:
        return False
    if not _settle(push):
        transaction.set_rollback(True)
        return False
    return True
