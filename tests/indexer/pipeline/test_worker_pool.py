"""Worker processes: started together, and not left half started."""

import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import pytest

from indexer.pipeline import worker_pool
from indexer.pipeline.worker_pool import Processes


def test_who_is_interrupted_while_processes_start_ends_once_they_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts: list[Future[Any]] = []

    class Interrupted(ProcessPoolExecutor):
        def submit(self, work: Callable[..., Any], *arguments: Any, **more: Any) -> Future[Any]:
            signal.raise_signal(signal.SIGINT)
            starts.append(super().submit(work, *arguments, **more))
            return starts[-1]

    monkeypatch.setattr(worker_pool, "ProcessPoolExecutor", Interrupted)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Processes(2)
    finally:
        signal.signal(signal.SIGINT, former)
    assert [start.result(timeout=60) for start in starts] == [0, 0]
