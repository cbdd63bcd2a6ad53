"""`watch` from its start to its end: what changes in a checkout is indexed, and nothing is lost.

An index that failed is retried with what the work tree is by then. A service that is unavailable
is found again or started.
"""

import io
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from central.runtime import running_server
from cli.api import HttpSearchApi
from cli.indexing import index_local
from cli.target.target import IndexTarget, data_dir_of, open_local_target
from cli.watch.events import Events, Holds
from cli.watch.journal import Update, UpdateLog
from cli.watch.lock import lock_checkout, write_watch_record
from cli.watch.snapshot import Snapshots
from indexer.config.settings import embedder_access
from indexer.errors import (
    CentralUnreachableError,
    ConfigurationError,
    GitError,
    IndexerError,
    NotARepositoryError,
)
from indexer.git.local import WorkingCopy
from indexer.pipeline.progress import Lines, display
from indexer.pipeline.report import Report
from indexer.pipeline.worker_pool import start_forkserver
from indexer.records.runs import Requested

_RECHECK_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.1
_PAUSE_SECONDS: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)  # after so many failures, and more


def watch(environ: Mapping[str, str], path: Path, journal: UpdateLog) -> NoReturn:
    """Keep the local index of the checkout at `path` as its work tree is, until a signal.

    Raises IndexerError: it is no checkout, another process watches it, or the first index fails.
    """
    root, data_dir = _root(path), data_dir_of(environ)
    with lock_checkout(data_dir, root) as directory:
        start_forkserver()
        snapshots = Snapshots(root, directory)
        _refuse_own_data(snapshots.repository, data_dir)
        snapshots.reset()
        events = Events(snapshots.repository, journal.note)
        try:
            _Session(environ, directory, snapshots, events, journal).last()
        finally:
            events.close()
            snapshots.repository.close()


class _Session:
    """What one watcher has taken of the work tree, and what of that is indexed."""

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
        self._taken = self._indexed = ""
        self._is_begun = False
        self._written_at: float | None = None  # the last write of those that are not indexed
        self._compared_at = time.monotonic()
        self._failures = 0

    def last(self) -> NoReturn:
        """Index, and wait for the next change, for ever."""
        while True:
            try:
                with open_local_target(self._environ, self._root) as target:
                    while _is_there(target):
                        self._follow(target)
            except IndexerError as error:  # the service does not start
                self._recover(error)

    def _follow(self, target: IndexTarget) -> None:
        """Index what has changed, and wait until something else does."""
        try:
            self._bring_up(target)
            self._wait(_RECHECK_SECONDS, while_=partial(_is_there, target))
            self._compare(target)
        except IndexerError as error:
            if self._is_begun and not self._failures and not _is_there(target):
                self._failures += 1  # the first time it is started again at once
                return
            self._recover(error)

    def _bring_up(self, target: IndexTarget) -> None:
        """Index the work tree if it is not indexed as it is now."""
        began = time.time()
        self._taken = self._snapshots.create() or self._taken
        if self._taken == self._indexed:
            self._written_at = None
            return
        if self._is_begun and self._written_at is None:
            self._events.reopen()  # the kernel has not reported it
            self._taken = self._snapshots.create() or self._taken  # nor of what came meanwhile
        paths = self._changed()
        written_at = self._written_at or min(began, self._last_write(paths))
        report = self._index(target)
        state = write_watch_record(
            self._directory, root=self._root, project=target.project, commit=self._taken
        )
        if self._is_begun:
            seconds = round(time.time() - written_at, 3) if written_at else None
            self._journal.updated(Update(state, report, paths, seconds))
        else:
            self._journal.watching(Update(state, report))
        self._indexed, self._is_begun = self._taken, True
        self._written_at, self._failures = None, 0

    def _index(self, target: IndexTarget) -> Report:
        repository = self._snapshots.repository
        if self._is_begun:
            silent = Lines(io.StringIO())
            sleep = partial(_sleep_while_there, target)
            return index_local(
                target, repository, self._taken, Requested.AUTO, silent, self._access, sleep=sleep
            )
        with display(plain=self._journal.is_for_programs) as progress:
            return index_local(
                target, repository, self._taken, Requested.AUTO, progress, self._access
            )

    def _changed(self) -> frozenset[str]:
        if not self._indexed:
            return frozenset()
        return self._snapshots.changed_paths(self._indexed, self._taken) or frozenset()

    def _last_write(self, paths: frozenset[str]) -> float:
        """The newest change of these files; 0 without any."""
        return max((_written_at(self._root / path) for path in paths), default=0.0)

    def _wait(self, seconds: float, while_: Holds = lambda: True) -> None:
        paths = self._events.wait(seconds, while_=while_)
        if paths:
            self._written_at = max(self._written_at or 0.0, self._last_write(paths))

    def _compare(self, target: IndexTarget) -> None:
        """Check at intervals whether another process has indexed a new commit of this checkout."""
        if time.monotonic() - self._compared_at < _RECHECK_SECONDS:
            return
        self._compared_at = time.monotonic()
        mine, self._indexed = self._indexed, ""  # also if the project is not known any more
        transport = target.transport()
        try:
            rows = HttpSearchApi(transport, target.organization).status(target.project)["projects"]
        finally:
            transport.close()
        if [row["last_indexed_commit"] for row in rows] == [mine]:
            self._indexed = mine

    def _recover(self, error: IndexerError) -> None:
        """Say what is wrong, and wait before the next attempt; at the beginning, end with it."""
        if not self._is_begun or not self._root.is_dir():
            raise error
        if isinstance(error, GitError):  # an object may be gone
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
            f"{path} is not inside a git repository: go to one, name one, or make one with "
            "`git init`"
        ) from exc
    repository.close()
    if not (repository.root / ".git").exists():
        raise ConfigurationError(
            f"{repository.root} is a bare repository, with no work tree to watch: "
            "`codesearch index` indexes it as it is"
        )
    return repository.root


def _refuse_own_data(repository: WorkingCopy, data_dir: Path) -> None:
    """Each index would be a change of the checkout that holds it."""
    top = repository.root.resolve()
    if data_dir.is_relative_to(top):
        inside = str(data_dir.relative_to(top))
        if not repository.ignored([inside]):
            raise ConfigurationError(
                f"the data directory {data_dir} is inside of the checkout: add /{inside}/ to "
                f"{top / '.gitignore'}, or set AETERNA_DATA_DIR to another directory"
            )


def _is_there(target: IndexTarget) -> bool:
    """Whether the service that runs is still the same."""
    server = running_server(target.data_dir)
    return server is not None and server["url"] == target.url


def _sleep_while_there(target: IndexTarget, seconds: float) -> None:
    """Wait for a service that does not answer. Raises CentralUnreachableError if it has ended."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if not _is_there(target):
            raise CentralUnreachableError("the service on this machine has ended")
        time.sleep(min(left, _LOOK_SECONDS))


def _written_at(path: Path) -> float:
    """When a file came to be as it is; of one that is gone, when its directory lost it.

    A file's own time may be of its former life, as after `cp -p`.
    """
    while True:
        try:
            return path.lstat().st_ctime
        except OSError:
            path = path.parent
