"""Opening a run at central, and abandoning it."""

import logging
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from indexer.client.api import Central, OpenedRun, OpenRequest
from indexer.errors import CentralRefusedError, IndexerError, RunConflictError
from indexer.pipeline.report import Course, Stage

_log = logging.getLogger(__name__)


def open_run(
    *, central: Central, request: OpenRequest, course: Course, timeout_seconds: float
) -> OpenedRun:
    """Open a run once no other of the repository is live, and note it in `course`.

    Waits that long for another one. Raises what Central.open_run does; RunConflictError when the
    time is up.
    """
    course.run_id, course.stage = "", Stage.UNOPENED
    give_up_at = monotonic() + timeout_seconds
    while True:
        try:
            opened = _asked(central, request, course)
        except RunConflictError as exc:
            left = give_up_at - monotonic()
            if left <= 0:
                raise
            _log.info("waiting for run %s of this repository", exc.run_id)
            central.wait_until_ended(exc.run_id, timeout_seconds=left)
        else:
            _note(course, opened)
            return opened


def _asked(central: Central, request: OpenRequest, course: Course) -> OpenedRun:
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
                _note(course, late)
                give_up(central, course)
        raise
    if isinstance(answer, OpenedRun):
        return answer
    raise answer


def _note(course: Course, opened: OpenedRun) -> None:
    course.run_id, course.stage = opened.run_id, Stage.OPEN


# GitHub's runner waits 7.5 s after SIGINT: src/Runner.Sdk/ProcessInvoker.cs of actions/runner.
WAIT_SECONDS: Final = 3.0


def give_up(central: Central, course: Course) -> None:
    """Tell central that nobody will finish the run, and note what became of it. Never raises.

    In a thread, and not waited for any longer than that: to look up a name, to exchange an id token
    and to wait for an answer may each take a minute where the network is at fault.
    """
    outcome: SimpleQueue[IndexerError | None] = SimpleQueue()

    def tell() -> None:
        try:
            central.abandon_run(course.run_id, "cancelled")
        except IndexerError as exc:
            outcome.put(exc)
        else:
            outcome.put(None)

    Thread(target=tell, name="give up", daemon=True).start()
    try:
        problem = outcome.get(timeout=WAIT_SECONDS)
    except Empty:
        _log.warning("run %s was not given up, it will expire: no answer", course.run_id)
        return
    if problem is None:
        course.stage = Stage.GIVEN_UP
    elif course.stage is not Stage.OPEN and _is_too_late(problem):
        course.stage = Stage.ANNOUNCED
    else:
        _log.warning("run %s was not given up, it will expire: %s", course.run_id, problem)


def _is_too_late(problem: IndexerError) -> bool:
    return isinstance(problem, CentralRefusedError) and problem.code == "run_not_open"
