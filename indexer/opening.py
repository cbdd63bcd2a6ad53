"""Opening a run, so that an interruption leaves none behind that nobody will finish."""

import logging
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from indexer import giving_up
from indexer.client import Central, OpenedRun, OpenRequest
from indexer.errors import RunConflictError
from indexer.report import Course, Stage

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
            late = outcome.get(timeout=giving_up.WAIT_SECONDS)
            if isinstance(late, OpenedRun):
                _note(course, late)
                giving_up.give_up(central, course)
        raise
    if isinstance(answer, OpenedRun):
        return answer
    raise answer


def _note(course: Course, opened: OpenedRun) -> None:
    course.run_id, course.stage = opened.run_id, Stage.OPEN
