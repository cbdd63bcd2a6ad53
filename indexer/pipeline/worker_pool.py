"""Worker processes: a pool that is replaced when one of them dies, and a cell for suspects.

They run C code of many authors over files of anybody, so they may die; they get no secrets.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from typing import Final, ParamSpec, TypeVar

from indexer.errors import IndexerError
from indexer.output import log
from indexer.process_group import CHILDREN

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
# Workers are forked from a process that has this imported and no threads.
_PRELOADED: Final = "indexer.pipeline.preload"
_P = ParamSpec("_P")
_T = TypeVar("_T")


def warm_up() -> None:
    """Start the process that workers come from, and return at once.

    It imports grammars and model while this process talks to git and to central.
    """
    multiprocessing.set_forkserver_preload([_PRELOADED])
    forkserver.ensure_running()


class Processes:
    """Safe to share between threads. Leaving `with` by an exception waits for none of them."""

    def __init__(self, count: int) -> None:
        self.count = count
        warm_up()
        self._replacing = threading.Lock()
        self._pool = _new_pool(count)
        self._alone = threading.Lock()
        self._cell: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for pool in filter(None, (self._pool, self._cell)):
            pool.shutdown(wait=kind is None, cancel_futures=True)

    def submit(
        self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs
    ) -> "Future[_T]":
        """Have it done. BrokenProcessPool as the result: a process died, not known of what."""
        with self._replacing:
            try:
                return self._pool.submit(work, *arguments, **more)
            except BrokenProcessPool:
                self._pool.shutdown()
                self._pool = _new_pool(self.count)
                return self._pool.submit(work, *arguments, **more)

    def alone(self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs) -> _T:
        """Do it in a process that has nothing else to do, so that no other's death is laid to it.

        Raises BrokenProcessPool if it ends its process, IndexerError where none can be started.
        """
        with self._alone:
            self._cell = self._cell or _living_pool()
            try:
                return self._cell.submit(work, *arguments, **more).result()
            except BrokenProcessPool:
                self._cell.shutdown()
                self._cell = None
                raise


def _new_pool(workers: int) -> ProcessPoolExecutor:
    """With all its processes, so that no other moment starts any."""
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("forkserver"),
        initializer=_prepare,
        initargs=(CHILDREN.number(),),
    )
    # A pool that is broken says so to the next that is submitted.
    with _no_signals(), suppress(BrokenProcessPool):
        for _ in range(workers):
            pool.submit(int)
    return pool


@contextmanager
def _no_signals() -> Iterator[None]:
    """Put off what would end this process: one that is half started complains with a traceback."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {
        number: signal.signal(number, lambda told, _: came.append(told))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def _living_pool() -> ProcessPoolExecutor:
    """A pool of one whose process is known to have started.

    Raises IndexerError: where no process starts, that is not the fault of any file.
    """
    pool = _new_pool(1)
    try:
        pool.submit(int).result()
    except BrokenProcessPool as exc:
        raise IndexerError(
            "worker processes end as soon as they start; what they wrote says why, else check "
            "the memory limit of this machine"
        ) from exc
    return pool


def _prepare(group: int) -> None:
    """Ctrl-C is for the parent, which then ends its workers; in its group they never outlive it.

    What a parse finds is many small objects at once, in no cycle: looking for cycles after each 700
    would take a tenth of the time.
    """
    os.setpgid(0, group)
    parent = multiprocessing.parent_process()
    if parent and not parent.is_alive():  # and the group was killed before this process was in it
        os._exit(1)
    log.to_standard_error()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
