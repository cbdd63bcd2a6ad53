"""The work on one repository: ask the forge, clone, index, and clean up."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import structlog
from django.conf import settings

from central.errors import ServiceError, UnavailableError
from central.http.urls import service_url
from central.jobs import ClaimLostError
from central.onboarding.addresses import CloneAddress, parse_address, resolve
from central.onboarding.clones import Clone, EmptyRepositoryError, clone
from central.onboarding.heads import Heads
from central.onboarding.models import BackfillRepository
from central.onboarding.processes import ChildError, Limits, QuotaError
from central.onboarding.services.branches import index_branches
from central.onboarding.services.indexing import index_clone, repository_token
from central.onboarding.services.listing import list_next
from central.onboarding.services.queue import CloneClaim
from central.onboarding.services.sources import NothingThereError, SkippedError, Source, source_of
from central.repositories.models import IndexedBy, Repository
from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.records.refs import short_name

_DIRECTORY = "backfill"


class StoppingError(Exception):
    """The process is stopping: another one does the work again."""


_log = structlog.get_logger(__name__)


def work_all(*, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Read due lists and work until nothing is due."""
    while not is_stopping() and (list_next() or work_next(is_stopping=is_stopping)):
        pass


def work_next(*, is_stopping: Callable[[], bool] = lambda: False) -> bool:
    """Work on the next repository that is due; return whether there was one.

    When `is_stopping`, the work ends within a second and is due again.
    """
    claim = CloneClaim.next()
    if claim is None:
        return False
    _log.info("backfill_started", repository=claim.row.name, attempt=claim.row.attempts)
    try:
        _work(claim, is_stopping)
    except StoppingError:
        claim.release()
    except ClaimLostError:
        _log.warning("backfill_claim_lost", repository=claim.row.name)
    except Exception as exc:  # whatever it is, the next repository has its turn
        if not _end(claim, exc):
            raise
    return True


def _end(claim: CloneClaim, error: Exception) -> bool:
    """End or requeue the work after an error; return whether the error was an expected one."""
    if isinstance(error, SkippedError):
        claim.skip(str(error), has_nothing=isinstance(error, NothingThereError))
    elif isinstance(error, UnavailableError | ForgeUnavailableError):
        claim.requeue(str(error), getattr(error, "pause_seconds", 0.0))
    elif isinstance(error, QuotaError | ServiceError | ForgeError):
        claim.fail(str(error))
    elif isinstance(error, ChildError):
        claim.retry(str(error))
    else:
        claim.retry(f"Internal error ({type(error).__name__}); the service's log has more.")
        return False
    return True


def _work(claim: CloneClaim, is_stopping: Callable[[], bool]) -> None:
    row = claim.row
    if row.repository and row.repository.paused:
        raise SkippedError("Indexing of it is paused.")
    _require_own_name(row)
    url = settings.BACKFILL.service_url or service_url()
    if not url:
        raise UnavailableError(
            "The service's address is unknown: start the service, or set AETERNA_BACKFILL_URL."
        )

    def beat() -> None:
        if is_stopping():
            raise StoppingError
        claim.beat()

    with _directory(row) as directory:
        limits = Limits(
            directory=directory,
            deadline=time.monotonic() + settings.BACKFILL.max_seconds,
            max_bytes=settings.BACKFILL.max_bytes,
            beat=beat,
        )
        source = source_of(row)
        address = resolve(parse_address(source.url, settings.BACKFILL), settings.BACKFILL)
        cloned = _clone(row, address, source, limits)
        claim.refresh(stage="indexing")
        with repository_token(row, source, cloned) as token:
            index_clone(
                row, source, cloned, token=token, url=url, limits=limits, history=row.history_due
            )
        repository = _repository_of(row)
        _note_indexer(repository, cloned)
        said = ""
        if not cloned.has_workflow:  # whose jobs index the others, too
            said = _index_branches(row, repository, address, source, url=url, limits=limits)
        claim.finish(commit_sha=cloned.commit_sha, repository=repository, said=said)


def _index_branches(
    row: BackfillRepository,
    repository: Repository,
    address: CloneAddress,
    source: Source,
    *,
    url: str,
    limits: Limits,
) -> str:
    access, configured = source.access, settings.BACKFILL

    def fetch(branch: str, own: Limits) -> Clone:
        return clone(address, access=access, settings=configured, limits=own, branch=branch)

    def index(cloned: Clone, own: Limits) -> None:
        with repository_token(row, source, cloned) as token:
            index_clone(row, source, cloned, token=token, url=url, limits=own, history=False)

    heads = Heads(address, access=access, settings=configured, limits=limits)
    return index_branches(repository, heads, limits, fetch=fetch, index=index)


def _require_own_name(row: BackfillRepository) -> None:
    """Raise SkippedError if an address would be indexed as GitHub's repository of that name.

    Its visibility is what GitHub says of the other one.
    """
    of_github = Repository.objects.filter(
        organization=row.organization, name=row.name, retired_at=None, forge_key__isnull=False
    )
    if row.forge_key is None and of_github.exists():
        raise SkippedError(
            f"'{row.name}' is a repository at GitHub by now, which its own workflow or a backfill "
            "of its owner indexes."
        )


def _tracked_branch(row: BackfillRepository) -> str:
    """Return the branch that the repository's index follows; "" before its first run."""
    known = Repository.objects.filter(organization=row.organization, retired_at=None)
    by_id = {"forge_key": row.forge_key} if row.forge_key is not None else {"name": row.name}
    ref = known.filter(**by_id).values_list("tracked_ref", flat=True).first() or ""
    return short_name(ref)


def _lines_since(row: BackfillRepository) -> str | None:
    """Return the commit after which changed lines are wanted; see `clone`."""
    if not (settings.HISTORY_COMMITS and settings.HISTORY_LINES):
        return None
    if row.history_due or row.repository is None:
        return ""
    return row.repository.last_indexed_commit


def _clone(row: BackfillRepository, address: CloneAddress, source: Source, limits: Limits) -> Clone:
    try:
        return clone(
            address,
            access=source.access,
            settings=settings.BACKFILL,
            limits=limits,
            branch=_tracked_branch(row),
            lines_since=_lines_since(row),
        )
    except EmptyRepositoryError as exc:
        raise NothingThereError("It has no commit yet.") from exc


@contextmanager
def _directory(row: BackfillRepository) -> Iterator[Path]:
    """Yield a private directory that is named after the claim."""
    directory = settings.DATA_DIR / _DIRECTORY / str(row.claim)
    directory.mkdir(parents=True, mode=0o700)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def remove_leftovers() -> int:
    """Remove the directories of killed processes of this machine; return how many."""
    count = 0
    parent = settings.DATA_DIR / _DIRECTORY
    for directory in parent.iterdir() if parent.is_dir() else ():
        try:
            is_used = CloneClaim.held().filter(claim=UUID(directory.name)).exists()
        except ValueError:  # none of ours
            continue
        if not is_used:
            shutil.rmtree(directory, ignore_errors=True)
            count += 1
    return count


def _repository_of(row: BackfillRepository) -> Repository:
    repositories = Repository.objects.select_related("organization").filter(
        organization=row.organization, retired_at=None
    )
    if row.forge_key is not None:
        return repositories.get(forge_key=row.forge_key)
    return repositories.get(name=row.name)


def _note_indexer(repository: Repository, cloned: Clone) -> None:
    """Note that pushes are followed here, unless a workflow is there to do it."""
    by = IndexedBy.ACTION if cloned.has_workflow else IndexedBy.CENTRAL
    Repository.objects.filter(pk=repository.pk).exclude(indexed_by=by).update(indexed_by=by)
