"""A session of `watch`: every change of a checkout is indexed.

A failed update is retried with the work tree as it is then. A service that is unavailable is
started again.
"""

import io
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from aeterna_code_search.cli.indexing import index_local, local_job
from aeterna_code_search.cli.watch.events import Condition, Events
from aeterna_code_search.cli.watch.journal import Update, UpdateLog
from aeterna_code_search.cli.watch.lock import lock_checkout, write_watch_record
from aeterna_code_search.cli.watch.snapshot import Snapshots
from aeterna_code_search.client.target.target import IndexTarget, data_dir_of, open_local_target
from central.runtime.data_directory import running_server
from indexer.config.settings import embedder_access
from indexer.errors import (
    CentralUnreachableError,
    ConfigurationError,
    GitError,
    IndexerError,
    NotARepositoryError,
)
from indexer.git.local import WorkingCopy
from indexer.pipeline.forkserver import start_forkserver
from indexer.pipeline.progress import Lines, display
from indexer.pipeline.report import Report
from indexer.records.runs import Requested

_RECHECK_SECONDS: Final = 60.0
_CHECK_SECONDS: Final = 0.1
_PAUSE_SECONDS: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)  # by the number of failures


def watch(environ: Mapping[str, str], path: Path, journal: UpdateLog) -> NoReturn:
    """Keep the local index of the checkout at `path` up to date, until a signal.

    Raises IndexerError if it is not a checkout, if another process watches it, or if the first
    index fails.
    """
    root, data_dir = _root(path), data_dir_of(environ)
    with lock_checkout(data_dir, root) as directory:
        start_forkserver()
        snapshots = Snapshots(root, directory)
        _refuse_own_data(snapshots.repository, data_dir)
        snapshots.reset()
        events = Events(snapshots.repository, journal.note)
        try:
            _Session(environ, directory, snapshots, events, journal).run()
        finally:
            events.close()
            snapshots.repository.close()


class _Session:
    """The state of a watcher: its latest snapshot, and the snapshot that is indexed."""

    def __init__(
        self,
        environ: Mapping[str, str],
        directory: Path,
        snapshots: Snapshots,
        events: Events,
        journal: UpdateLog,
    ) -> None:
        self._environ = environ
        self._access = embedder_access(environ)
        self._directory = directory
        self._snapshots = snapshots
        self._events = events
        self._journal = journal
        self._root = snapshots.repository.root
        self._snapshot = self._indexed = ""
        self._is_started = False
        self._written_at: float | None = None  # the latest write that is not indexed
        self._compared_at = time.monotonic()
        self._failures = 0

    def run(self) -> NoReturn:
        """Index, and wait for the next change, forever."""
        while True:
            try:
                with open_local_target(self._environ, self._root) as target:
                    while _is_there(target):
                        self._follow(target)
            except IndexerError as error:  # the service does not start
                self._recover(error)

    def _follow(self, target: IndexTarget) -> None:
        """Index the current changes, and wait for the next ones."""
        try:
            self._update(target)
            self._wait(_RECHECK_SECONDS, while_=partial(_is_there, target))
            self._compare(target)
        except IndexerError as error:
            if self._is_started and not self._failures and not _is_there(target):
                self._failures += 1  # the first restart is immediate
                return
            self._recover(error)

    def _update(self, target: IndexTarget) -> None:
        """Index the work tree if it has changed since the latest index."""
        began = time.time()
        self._snapshot = self._snapshots.create() or self._snapshot
        if self._snapshot == self._indexed:
            self._written_at = None
            return
        if self._is_started and self._written_at is None:
            self._events.reopen()  # the kernel missed an event
            self._snapshot = self._snapshots.create() or self._snapshot  # and changes since
        paths = self._changed()
        written_at = self._written_at or min(began, self._last_write(paths))
        report = self._index(target)
        state = write_watch_record(
            self._directory, root=self._root, project=target.project, commit=self._snapshot
        )
        if self._is_started:
            seconds = round(time.time() - written_at, 3) if written_at else None
            self._journal.updated(Update(state, report, paths, seconds))
        else:
            self._journal.watching(Update(state, report))
        self._indexed, self._is_started = self._snapshot, True
        self._written_at, self._failures = None, 0

    def _index(self, target: IndexTarget) -> Report:
        repository = self._snapshots.repository
        job = local_job(target, self._snapshot, Requested.AUTO, self._access)
        if self._is_started:
            silent = Lines(io.StringIO())
            sleep = partial(_sleep_while_there, target)
            return index_local(target, repository, job, silent, sleep=sleep)
        with display(plain=self._journal.is_for_programs) as progress:
            return index_local(target, repository, job, progress)

    def _changed(self) -> frozenset[str]:
        if not self._indexed:
            return frozenset()
        return self._snapshots.changed_paths(self._indexed, self._snapshot) or frozenset()

    def _last_write(self, paths: frozenset[str]) -> float:
        """Return the newest change time of the files; 0 without any."""
        return max((_written_at(self._root / path) for path in paths), default=0.0)

    def _wait(self, seconds: float, while_: Condition = lambda: True) -> None:
        paths = self._events.wait(seconds, while_=while_)
        if paths:
            self._written_at = max(self._written_at or 0.0, self._last_write(paths))

    def _compare(self, target: IndexTarget) -> None:
        """Check at intervals whether another process has indexed a new commit of this checkout."""
        if time.monotonic() - self._compared_at < _RECHECK_SECONDS or not _is_there(target):
            return  # without a service there is nothing to compare with
        self._compared_at = time.monotonic()
        previous, self._indexed = self._indexed, ""  # also if the project is unknown now
        with closing(target.api()) as api:
            rows = api.status(target.project)["projects"]
        if [row["last_indexed_commit"] for row in rows] == [previous]:
            self._indexed = previous

    def _recover(self, error: IndexerError) -> None:
        """Report the error and wait before a retry; re-raise it if the session has not started."""
        if not self._is_started or not self._root.is_dir():
            raise error
        if isinstance(error, GitError):  # an object may be missing
            self._snapshots.reset()
        pause = _PAUSE_SECONDS[min(self._failures, len(_PAUSE_SECONDS) - 1)]
        self._failures += 1
        self._journal.failed(error, self._root, pause)
        self._wait(pause)


def _root(path: Path) -> Path:
    try:
        repository = WorkingCopy(path)
    except NotARepositoryError as exc:
        raise NotARepositoryError(
            f"{path} is not inside a git repository: change to one, name one, or create one with "
            "`git init`"
        ) from exc
    repository.close()
    if not (repository.root / ".git").exists():
        raise ConfigurationError(
            f"{repository.root} is a bare repository without a work tree to watch: "
            "index it with `codesearch index`"
        )
    return repository.root


def _refuse_own_data(repository: WorkingCopy, data_dir: Path) -> None:
    """Refuse a data directory in the checkout: each index would be a change to it."""
    top = repository.root.resolve()
    if data_dir.is_relative_to(top):
        inside = str(data_dir.relative_to(top))
        if not repository.ignored([inside]):
            raise ConfigurationError(
                f"the data directory {data_dir} is inside the checkout: add /{inside}/ to "
                f"{top / '.gitignore'}, or set AETERNA_DATA_DIR to another directory"
            )


def _is_there(target: IndexTarget) -> bool:
    """Whether the target's service still runs."""
    server = running_server(target.data_dir)
    return server is not None and server["url"] == target.url


def _sleep_while_there(target: IndexTarget, seconds: float) -> None:
    """Sleep while the service runs. Raises CentralUnreachableError if it has ended."""
    deadline = time.monotonic() + seconds
    while (remaining := deadline - time.monotonic()) > 0:
        if not _is_there(target):
            raise CentralUnreachableError("the service on this machine has ended")
        time.sleep(min(remaining, _CHECK_SECONDS))


def _written_at(path: Path) -> float:
    """Return the change time of a file, or of its directory if the file is deleted.

    The modification time is not reliable: `cp -p` preserves it.
    """
    while True:
        try:
            return path.lstat().st_ctime
        except OSError:
            path = path.parent
