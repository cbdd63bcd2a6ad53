"""The work on one repository: ask the forge, clone, index, and clean up."""

import json
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from central.errors import ConflictError, ServiceError, UnavailableError
from central.http.urls import service_url
from central.ingest.services.open_run import BACKFILL_EVENT
from central.onboarding.addresses import parse_address, resolve
from central.onboarding.clones import Clone, EmptyRepositoryError, GitAccess, clone
from central.onboarding.credentials import github_access, host_access, repository_api
from central.onboarding.models import BackfillRepository
from central.onboarding.processes import (
    ChildError,
    Limits,
    QuotaError,
    inherited_environment,
    run_child,
)
from central.onboarding.services.queue import Claim, ClaimLostError, claim_next, is_live
from central.repositories.models import IndexedBy, Repository
from central.repositories.services import record_visibility
from central.tenancy.credentials import Binding
from central.tenancy.models import ApiToken, Scope
from central.tenancy.services.tokens import issue_token
from central.tenancy.tokens import bind_to_job
from indexer.errors import ForgeError, ForgeUnavailableError
from indexer.exits import Exit
from indexer.forge.repositories import ForgeRepository, find_repository

_ROOT = Path(__file__).resolve().parents[3]
_DIRECTORY = "backfill"
_TOKEN_MARGIN = timedelta(minutes=5)
_KIBIBYTES = 1_024

_log = structlog.get_logger(__name__)


class SkippedError(Exception):
    """The repository is not indexed, and nothing failed; the message says why."""


@dataclass(frozen=True, slots=True)
class _Source:
    """What is cloned: the address, git's credential, and what GitHub says of the repository."""

    url: str
    access: GitAccess
    github: ForgeRepository | None = None
    asked_at: datetime | None = None


def work_next() -> bool:
    """Work on the next repository that is due; return whether there was one."""
    claim = claim_next()
    if claim is None:
        return False
    _log.info("backfill_started", repository=claim.row.name, attempt=claim.row.attempts)
    try:
        _work(claim)
    except ClaimLostError:
        _log.warning("backfill_claim_lost", repository=claim.row.name)
    except SkippedError as exc:
        claim.skip(str(exc))
    except EmptyRepositoryError:
        claim.skip("It has no commit yet.")
    except QuotaError as exc:
        claim.fail(str(exc))
    except (UnavailableError, ForgeUnavailableError) as exc:
        claim.postpone(str(exc), getattr(exc, "pause_seconds", 0.0))
    except (ServiceError, ForgeError) as exc:
        claim.fail(str(exc))
    except ChildError as exc:
        claim.retry(str(exc))
    except Exception as exc:
        claim.retry(f"Internal error ({type(exc).__name__}); the service's log has more.")
        raise
    return True


def _work(claim: Claim) -> None:
    row = claim.row
    if row.repository and row.repository.paused:
        raise SkippedError("Indexing of it is paused.")
    url = settings.BACKFILL.service_url or service_url()
    if not url:
        raise UnavailableError(
            "The service's address is unknown: start the service, or set AETERNA_BACKFILL_URL."
        )
    with _directory(row) as directory:
        limits = Limits(
            directory=directory,
            deadline=time.monotonic() + settings.BACKFILL.max_seconds,
            max_bytes=settings.BACKFILL.max_bytes,
            beat=claim.beat,
        )
        source = _source_of(row)
        address = resolve(parse_address(source.url, settings.BACKFILL), settings.BACKFILL)
        cloned = clone(address, access=source.access, settings=settings.BACKFILL, limits=limits)
        claim.enter("indexing")
        with _token(row, source, cloned) as token:
            _index(row, source, cloned, token=token, url=url, limits=limits)
        repository = _repository_of(row)
        _note_indexer(repository, cloned)
        claim.finish(commit_sha=cloned.commit_sha, repository=repository)


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
            is_used = is_live(UUID(directory.name))
        except ValueError:  # none of ours
            continue
        if not is_used:
            shutil.rmtree(directory, ignore_errors=True)
            count += 1
    return count


def _source_of(row: BackfillRepository) -> _Source:
    """Return what to clone. Raises SkippedError, ForgeError, InvalidError."""
    if row.github_id is None:
        return _Source(row.url, host_access(parse_address(row.url, settings.BACKFILL)))
    asked_at = timezone.now()
    with repository_api(row.backfill.owner, row.github_id) as (api, token):
        found = find_repository(api, row.github_id)
    if found is None:
        raise SkippedError("GitHub has no such repository for this service's credential.")
    if found.owner_id != row.backfill.owner_id:
        raise SkippedError(f"GitHub says that it belongs to {found.owner} now.")
    if found.kilobytes * _KIBIBYTES > settings.BACKFILL.max_bytes:
        raise SkippedError(
            f"It has {found.kilobytes // _KIBIBYTES:,} MiB, which is more than a repository may "
            "(AETERNA_BACKFILL_MAX_BYTES)."
        )
    url = f"{settings.BACKFILL.github_url}/{found.full_name}"
    return _Source(url, github_access(token), found, asked_at)


@contextmanager
def _token(row: BackfillRepository, source: _Source, cloned: Clone) -> Iterator[str]:
    """Yield a token that may index this repository alone, and of GitHub's this commit alone."""
    token = ApiToken(
        organization=row.organization,
        name=f"backfill of {row.name}"[:100],
        scopes=[Scope.INDEX],
        is_short_lived=True,
        expires_at=timezone.now()
        + timedelta(seconds=settings.BACKFILL.max_seconds)
        + _TOKEN_MARGIN,
    )
    if source.github:
        bind_to_job(token, _binding(source, source.github, cloned))
        record_visibility(
            organization_id=row.organization_id,
            github_id=source.github.id,
            visibility=source.github.visibility,
            at=source.asked_at,
        )
    else:
        token.repositories = [row.name]
    secret = issue_token(token)
    try:
        yield secret
    finally:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())


def _binding(source: _Source, github: ForgeRepository, cloned: Clone) -> Binding:
    return Binding(
        repository_id=github.id,
        project=github.name,
        visibility=github.visibility,
        ref=cloned.ref,
        commit_sha=cloned.commit_sha,
        url=source.url,
        signed_at=source.asked_at,
    )


def _index(
    row: BackfillRepository,
    source: _Source,
    cloned: Clone,
    *,
    token: str,
    url: str,
    limits: Limits,
) -> None:
    """Run the indexer on the clone. It gets no credential of the forge and contacts none."""
    variables = {
        **inherited_environment(limits.directory),
        "AETERNA_URL": url,
        "AETERNA_TOKEN": token,
        "AETERNA_ORGANIZATION": row.organization.slug,
        "AETERNA_PROJECT": source.github.name if source.github else row.name,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUNBUFFERED": "1",
        **_embedder_variables(),
        **(_job_variables(source.github, limits.directory) if source.github else {}),
    }
    command = (
        sys.executable, "-m", "indexer", "run", "--json",
        "--path", str(cloned.path), "--ref", cloned.ref,
    )  # fmt: skip
    try:
        run_child(command, environment=variables, cwd=_ROOT, limits=limits)
    except ChildError as exc:
        message = _last_error(str(exc))
        if exc.exit_code == Exit.UNREACHABLE:
            raise UnavailableError(message) from exc
        if exc.exit_code in {Exit.USAGE, Exit.REFUSED}:
            raise ConflictError(message) from exc
        raise ChildError(message, exit_code=exc.exit_code) from exc


def _job_variables(github: ForgeRepository, directory: Path) -> dict[str, str]:
    """Return what a job of GitHub knows of its repository, without anything secret."""
    event = directory / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": github.default_branch}}))
    return {
        "GITHUB_SERVER_URL": settings.BACKFILL.github_url,
        "GITHUB_REPOSITORY": github.full_name,
        "GITHUB_REPOSITORY_ID": str(github.id),
        "GITHUB_REPOSITORY_OWNER_ID": str(github.owner_id),
        "GITHUB_EVENT_NAME": BACKFILL_EVENT,
        "GITHUB_EVENT_PATH": str(event),
    }


def _embedder_variables() -> dict[str, str]:
    key = settings.EMBEDDER_ACCESS.openai_api_key
    return {"OPENAI_API_KEY": key} if key else {}


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return (errors or lines or ["The indexer ended without a message."])[-1]


def _repository_of(row: BackfillRepository) -> Repository:
    of_it = Repository.objects.filter(organization=row.organization, retired_at=None)
    if row.github_id is not None:
        return of_it.get(github_id=row.github_id)
    return of_it.get(name=row.name)


def _note_indexer(repository: Repository, cloned: Clone) -> None:
    """Note that pushes are followed here, unless a workflow is there to do it."""
    by = IndexedBy.ACTION if cloned.has_workflow else IndexedBy.CENTRAL
    Repository.objects.filter(pk=repository.pk).exclude(indexed_by=by).update(indexed_by=by)
