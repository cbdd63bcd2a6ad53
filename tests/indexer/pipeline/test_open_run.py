"""Opening a run: whatever moment the job is cancelled at, no run is left that nobody knows of."""

import signal
import threading
from collections.abc import Iterator

import pytest

from indexer.client.api import IndexingClient, OpenedRun, OpenRequest
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.errors import CentralRefusedError
from indexer.pipeline import open_run as opening
from indexer.pipeline.open_run import open_run
from indexer.pipeline.report import RunProgress, RunStage
from tests.indexer.central import TOKEN, StandIn

REQUEST = OpenRequest("acme", "shop", "refs/heads/main", "c" * 40, "extractor")
WAIT_SECONDS = 30


class CancelledWhileOpening(IndexingClient):
    """The signal comes when central has opened the run, and before its answer is there."""

    answers = threading.Event()

    def open_run(self, request: OpenRequest) -> OpenedRun:
        opened = super().open_run(request)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert self.answers.wait(WAIT_SECONDS)
        return opened


@pytest.fixture(autouse=True)
def _interrupted_by_sigint() -> Iterator[None]:
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.fixture
def transport(central: StandIn) -> Iterator[Transport]:
    transport = Transport(url=central.url, credentials=StaticToken(TOKEN))
    yield transport
    transport.close()


def opened_with(client: IndexingClient, run_progress: RunProgress) -> OpenedRun:
    return open_run(central=client, request=REQUEST, run_progress=run_progress, timeout_seconds=1.0)


def test_an_opened_run_is_noted(transport: Transport) -> None:
    run_progress = RunProgress("run-of-the-attempt-before", RunStage.ANNOUNCED)
    opened = opened_with(IndexingClient(transport), run_progress)
    assert (run_progress.run_id, run_progress.stage) == (opened.run_id, RunStage.OPEN)


def test_what_central_says_instead_is_raised(central: StandIn, transport: Transport) -> None:
    central.failures = [(403, {"code": "ref_not_tracked", "detail": "No."}, {})]
    with pytest.raises(CentralRefusedError):
        opened_with(IndexingClient(transport), RunProgress())


def test_a_run_that_is_opened_while_the_job_is_cancelled_is_given_up(
    central: StandIn, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, run_progress = CancelledWhileOpening(transport), RunProgress()
    monkeypatch.setattr(client, "answers", threading.Event())
    threading.Timer(0.05, client.answers.set).start()
    with pytest.raises(KeyboardInterrupt):
        opened_with(client, run_progress)
    assert central.abandoned == ["cancelled"]
    assert run_progress.stage is RunStage.CANCELLED


def test_a_run_that_is_opened_while_its_thread_is_still_being_started_is_given_up(
    central: StandIn, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(threading.Thread):
        def start(self) -> None:
            super().start()
            if self.name == "open":
                raise KeyboardInterrupt

    monkeypatch.setattr(opening, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        opened_with(IndexingClient(transport), RunProgress())
    assert central.abandoned == ["cancelled"]


def test_an_answer_that_does_not_come_is_not_waited_for(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_ABANDON_SECONDS", 0.01)
    client, run_progress = CancelledWhileOpening(transport), RunProgress()
    monkeypatch.setattr(client, "answers", threading.Event())
    with pytest.raises(KeyboardInterrupt):
        opened_with(client, run_progress)
    client.answers.set()
    assert run_progress.stage is RunStage.NOT_OPENED
