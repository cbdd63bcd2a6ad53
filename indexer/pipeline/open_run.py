"""Opening a run at central, and cancelling it."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from time import monotonic
from typing import Final, TypeVar

from indexer.client.api import IndexingClient, OpenedRun, OpenRequest
from indexer.errors import CentralRefusedError, IndexerError, RunConflictError
from indexer.pipeline.job import Job
from indexer.pipeline.report import RunProgress, RunStage
from indexer.records.refs import HEADS

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_DIRECT_REFUSED: Final = "direct_not_available"  # central's code
_BRANCH_REFUSED: Final = frozenset({"ref_not_tracked", "oidc_ref_refused"})  # central's codes


def open_job(
    *, central: IndexingClient, job: Job, run_progress: RunProgress
) -> tuple[OpenedRun, Job]:
    """Open a run of the job; return it with the job as it is to be done.

    If central refuses a direct upload that is not required, the run is opened without. Raises what
    `open_run` raises.
    """

    def opened(job: Job) -> OpenedRun:
        return open_run(
            central=central,
            request=job.request,
            run_progress=run_progress,
            timeout_seconds=job.timeout_seconds,
        )

    try:
        return opened(job), job
    except CentralRefusedError as exc:
        if exc.code != _DIRECT_REFUSED or not job.direct or job.direct.is_required:
            raise
        job = relayed(job, str(exc.problem.get("detail") or exc))
    return opened(job), job


def is_branch_unwanted(job: Job, refusal: CentralRefusedError) -> bool:
    """Whether central refuses a forge's job only because it indexes no such branch.

    The default branch is always one that it should index.
    """
    default = job.request.default_branch
    return (
        refusal.code in _BRANCH_REFUSED
        and job.request.event is not None
        and bool(default)
        and job.request.ref != f"{HEADS}{default}"
    )


def relayed(job: Job, refusal: str) -> Job:
    """Return the job without its direct upload, and log why."""
    job = job.relayed(refusal)
    _log.warning("vectors are %s (%s)", job.vectors.sentence, refusal)
    return job


def open_run(
    *,
    central: IndexingClient,
    request: OpenRequest,
    run_progress: RunProgress,
    timeout_seconds: float,
) -> OpenedRun:
    """Open a run once no other run of the repository is live, and record it in `run_progress`.

    Waits up to `timeout_seconds` for the other run, then raises RunConflictError. Raises what
    `IndexingClient.open_run` raises.
    """
    run_progress.run_id, run_progress.stage = "", RunStage.NOT_OPENED
    deadline = monotonic() + timeout_seconds
    while True:
        try:
            opened = _open_in_thread(central, request, run_progress)
        except RunConflictError as exc:
            remaining = deadline - monotonic()
            if remaining <= 0:
                raise
            _log.info("waiting for run %s of this repository", exc.run_id)
            central.wait_for_end(exc.run_id, timeout_seconds=remaining)
        else:
            _record_run(run_progress, opened)
            return opened


def _open_in_thread(
    central: IndexingClient, request: OpenRequest, run_progress: RunProgress
) -> OpenedRun:
    """Open the run in a thread, so that the signal that ends the job does not lose the answer.

    Central opens the run whether or not anything still waits, and only its answer names the run.
    """
    outcome: Future[OpenedRun] = Future()
    try:
        _start(outcome, lambda: central.open_run(request), name="open")
        wait([outcome])
    except BaseException:
        wait([outcome], timeout=_ABANDON_SECONDS)
        if outcome.done() and not outcome.exception():
            _record_run(run_progress, outcome.result())
            abandon_run(central, run_progress)
        raise
    return outcome.result()


def _start(outcome: Future[_T], work: Callable[[], _T], *, name: str) -> None:
    """Run `work` in a daemon thread, which keeps no process alive. `outcome` gets its result."""

    def run() -> None:
        try:
            outcome.set_result(work())
        except Exception as exc:  # noqa: BLE001 - raised where the result is read
            outcome.set_exception(exc)

    Thread(target=run, name=name, daemon=True).start()


def _record_run(run_progress: RunProgress, opened: OpenedRun) -> None:
    run_progress.run_id, run_progress.stage = opened.run_id, RunStage.OPEN


# GitHub's runner waits 7.5 s after SIGINT: src/Runner.Sdk/ProcessInvoker.cs of actions/runner.
_ABANDON_SECONDS: Final = 3.0


def abandon_run(central: IndexingClient, run_progress: RunProgress) -> None:
    """Cancel the run at central and record its state. Never raises IndexerError.

    Waits a few seconds at most: a name look-up, a token exchange and the answer may each take a
    minute if the network fails.
    """
    run_id = run_progress.run_id
    outcome: Future[None] = Future()
    _start(outcome, lambda: central.abandon_run(run_id, "cancelled"), name="abandon")
    try:
        outcome.result(timeout=_ABANDON_SECONDS)
    except TimeoutError:
        _log.warning("run %s could not be cancelled and will expire: no answer", run_id)
    except IndexerError as exc:
        if run_progress.stage is not RunStage.OPEN and _is_too_late(exc):
            run_progress.stage = RunStage.ANNOUNCED
        else:
            _log.warning("run %s could not be cancelled and will expire: %s", run_id, exc)
    else:
        run_progress.stage = RunStage.CANCELLED


def _is_too_late(problem: IndexerError) -> bool:
    return isinstance(problem, CentralRefusedError) and problem.code == "run_not_open"
