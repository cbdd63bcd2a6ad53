"""Indexing from the command line: a branch at a remote service, the checkout at a local one."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from aeterna_code_search.client.target.target import IndexTarget
from indexer.errors import CommitNotFoundError, ConfigurationError, NotARepositoryError
from indexer.exits import TerminatedError
from indexer.pipeline.report import Report, RunProgress
from indexer.records.runs import Requested
from indexer.records.vectors import EmbedderConfig

if TYPE_CHECKING:
    from indexer.commands.connection import Connection
    from indexer.git.local import WorkingCopy
    from indexer.pipeline.job import Job, ScipRequest
    from indexer.pipeline.progress import Progress

_RETRY_SECONDS: Final = 10.0  # the local service may be restarting


def checkout_root(path: Path) -> Path:
    """Return the root of the checkout that contains `path`. Raises GitError with a fix.

    It sends no request: call it first, so that no service is started in vain.
    """
    from indexer.git.local import WorkingCopy

    if not path.is_dir():
        raise NotARepositoryError(f"{path} is not a directory: name an existing one")
    try:
        repository = WorkingCopy(path)
    except NotARepositoryError as exc:
        raise NotARepositoryError(
            f"{path} is not inside a git repository: change to one, name one, or create one with "
            f"`git init {quote(str(path))}`"
        ) from exc
    with closing(repository):
        try:
            repository.commit("HEAD")
        except CommitNotFoundError as exc:
            here = f"git -C {quote(str(repository.root))}"
            raise CommitNotFoundError(
                f"{repository.root} has no commit yet, and only commits are indexed: "
                f"`{here} add --all && {here} commit -m 'First commit'`"
            ) from exc
    return repository.root


def index_target(
    target: IndexTarget,
    environ: Mapping[str, str],
    path: Path,
    requested: Requested,
    *,
    plain: bool,
    ref: str | None = None,
    scip: "ScipRequest | None" = None,
) -> Report:
    """Bring the index of the repository that contains `path` up to date.

    A configured service indexes `ref`, or the checked-out branch, as `python -m indexer run` does.
    The local service indexes the checkout, on any branch. Raises IndexerError.
    """
    from indexer.commands.run import index_branch
    from indexer.config.settings import embedder_access
    from indexer.git.local import WorkingCopy
    from indexer.pipeline.forkserver import start_forkserver
    from indexer.pipeline.progress import display

    start_forkserver()
    if target.is_local and ref:
        raise ConfigurationError(
            "the index on this machine follows the checkout: check the branch out, and omit --ref"
        )
    with _report_cancellation() as run_progress:
        if not target.is_local:
            with _connection(target, environ, path) as connection:
                return index_branch(
                    connection,
                    ref=ref,
                    requested=requested,
                    scip=scip,
                    plain=plain,
                    run_progress=run_progress,
                )
        access = embedder_access(environ)
        with closing(WorkingCopy(path)) as repository, display(plain=plain) as progress:
            job = local_job(target, repository.commit("HEAD"), requested, access, scip)
            return index_local(target, repository, job, progress, run_progress)


def local_job(
    target: IndexTarget,
    commit: str,
    requested: Requested,
    access: EmbedderConfig,
    scip: "ScipRequest | None" = None,
) -> "Job":
    """Return the job that brings the local index of a checkout to `commit`.

    Without `scip` no SCIP index is read: `watch` would read all of it after each change.
    """
    from indexer.client.api import OpenRequest
    from indexer.commands.run import WAIT_SECONDS
    from indexer.git.local import LOCAL_REF
    from indexer.pipeline.fingerprint import EXTRACTOR
    from indexer.pipeline.job import Job

    request = OpenRequest(
        org_id=target.organization,
        project_id=target.project,
        ref=LOCAL_REF,
        commit_sha=commit,
        extractor=EXTRACTOR,
        default_branch=LOCAL_REF.removeprefix("refs/heads/"),
    )
    return Job(request, requested, WAIT_SECONDS, access, scip=scip)


def index_local(
    target: IndexTarget,
    repository: "WorkingCopy",
    job: "Job",
    progress: "Progress",
    run_progress: RunProgress | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Report:
    """Do a job for the local index of a checkout. Raises IndexerError.

    `sleep` pauses while the service is unavailable; it may raise CentralUnreachableError.
    """
    from indexer.client.api import IndexingClient
    from indexer.pipeline.run import index

    with closing(target.transport(_RETRY_SECONDS, sleep)) as transport:
        return index(
            job=job,
            repository=repository,
            central=IndexingClient(transport),
            progress=progress,
            run_progress=run_progress or RunProgress(),
        )


@contextmanager
def _report_cancellation() -> Iterator[RunProgress]:
    from indexer.pipeline.job_summary import run_outcome

    run_progress = RunProgress()
    try:
        yield run_progress
    except (KeyboardInterrupt, TerminatedError):
        sys.stderr.write(f"cancelled: {run_outcome(run_progress)}\n")
        raise


@contextmanager
def _connection(
    target: IndexTarget, environ: Mapping[str, str], path: Path
) -> "Iterator[Connection]":
    """Open the repository that contains `path`, and a transport to the service."""
    from indexer.commands.connection import Connection
    from indexer.config.settings import GitCredential, Settings
    from indexer.git.repository import Repository

    named = {"url": target.url, "organization": target.organization, "project": target.project}
    with closing(Repository(path, GitCredential.load(environ))) as repository:
        settings = Settings.load(
            environ,
            project_dir=repository.root,
            default_project=target.project,
            overrides=named,
        )
        with closing(target.transport(settings.retry_seconds)) as transport:
            yield Connection(repository, settings, transport)
