"""Opening a run at central, and abandoning it."""

import logging
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from indexer.client.api import IndexingClient, OpenedRun, OpenRequest
from indexer.errors import CentralRefusedError, IndexerError, RunConflictError
from indexer.pipeline.report import RunProgress, RunStage

_log = logging.getLogger(__name__)


def open_run(
    *,
    central: IndexingClient,
    request: OpenRequest,
    run_progress: RunProgress,
    timeout_seconds: float,
) -> OpenedRun:
    """Open a run once no other of the repository is live, and note it in `run_progress`.

    Waits that long for another one. Raises what Central.open_run does; RunConflictError when the
    time is up.
    """
    run_progress.run_id, run_progress.stage = "", RunStage.NOT_OPENED
    give_up_at = monotonic() + timeout_seconds
    while True:
        try:
            opened = _asked(central, request, run_progress)
        except RunConflictError as exc:
            left = give_up_at - monotonic()
            if left <= 0:
                raise
            _log.info("waiting for run %s of this repository", exc.run_id)
            central.wait_for_end(exc.run_id, timeout_seconds=left)
        else:
            _record_run(run_progress, opened)
            return opened


def _asked(central: IndexingClient, request: OpenRequest, run_progress: RunProgress) -> OpenedRun:
    """Central's answer. Asked in a thread: the signal that ends the job must not lose the answer.

    Central opens the run whether or not somebody still listens, and only its answer names it.
    """
    outcome: SimpleQueue[OpenedRun | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            outcome.put(central.open_run(request))
        except Exception as exc:  # noqa: BLE001 - raised where the answer is waited for
            outcome.put(exc)

    try:
        Thread(target=ask, name="open", daemon=True).start()
        answer = outcome.get()
    except BaseException:
        with suppress(Empty):
            late = outcome.get(timeout=WAIT_SECONDS)
            if isinstance(late, OpenedRun):
                _record_run(run_progress, late)
                abandon_run(central, run_progress)
        raise
    if isinstance(answer, OpenedRun):
        return answer
    raise answer


def _record_run(run_progress: RunProgress, opened: OpenedRun) -> None:
    run_progress.run_id, run_progress.stage = opened.run_id, RunStage.OPEN


# GitHub's runner waits 7.5 s after SIGINT: src/Runner.Sdk/ProcessInvoker.cs of actions/runner.
WAIT_SECONDS: Final = 3.0


def abandon_run(central: IndexingClient, run_progress: RunProgress) -> None:
    """Tell central that nobody will finish the run, and note what became of it. Never raises.

    In a thread, and not waited for any longer than that: to look up a name, to exchange an id token
    and to wait for an answer may each take a minute where the network is at fault.
    """
    outcome: SimpleQueue[IndexerError | None] = SimpleQueue()

    def tell() -> None:
        try:
            central.abandon_run(run_progress.run_id, "cancelled")
        except IndexerError as exc:
            outcome.put(exc)
        else:
            outcome.put(None)

    Thread(target=tell, name="give up", daemon=True).start()
    try:
        problem = outcome.get(timeout=WAIT_SECONDS)
    except Empty:
        _log.warning("run %s was not given up, it will expire: no answer", run_progress.run_id)
        return
    if problem is None:
        run_progress.stage = RunStage.CANCELLED
    elif run_progress.stage is not RunStage.OPEN and _is_too_late(problem):
        run_progress.stage = RunStage.ANNOUNCED
    else:
        _log.warning("run %s was not given up, it will expire: %s", run_progress.run_id, problem)


def _is_too_late(problem: IndexerError) -> bool:
    return isinstance(problem, CentralRefusedError) and problem.code == "run_not_open"
