"""How a run that will not be finished is given up, within the seconds that a cancelled job has."""

import logging
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

from indexer.client import Central
from indexer.errors import CentralRefusedError, IndexerError
from indexer.report import Course, Stage

# GitHub's runner waits 7.5 s after SIGINT: src/Runner.Sdk/ProcessInvoker.cs of actions/runner.
WAIT_SECONDS: Final = 3.0
_log = logging.getLogger(__name__)


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
