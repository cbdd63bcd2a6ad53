"""The embedded server's worker thread: woken, and outliving what fails around it."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from central import background, celery
from central.background import RUNS
from central.circuit import Circuit
from central.corpus.models import TrigramPosting, TrigramSegment
from central.corpus.trigrams.upkeep import TextIndex
from central.github.events import Removed, dump_event
from central.github.models import GitHubDelivery
from central.ingest.models import IndexRun
from central.maintenance import organization_deletion, repository_deletion, worker
from central.maintenance.worker import EmbeddedWorker, next_reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from central.repositories.states import RunState
from indexer.errors import StoreUnavailableError
from tests.central.protocol import Api, api_of, claim_run

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {"a.py": "def a\n"}
WAIT_SECONDS = 20


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when the embedded_worker has applied a run."""
    event = threading.Event()
    real = worker.apply_next

    def apply_and_tell() -> bool:
        has_tried = real()
        if IndexRun.objects.filter(state=RunState.APPLIED).exists():
            event.set()
        return has_tried

    monkeypatch.setattr(worker, "apply_next", apply_and_tell)
    return event


@pytest.fixture(autouse=True)
def new_circuit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test does to the broker's circuit is not there in another."""
    circuit = Circuit(threshold=2, pause_seconds=3600, changed=celery._log_change)
    monkeypatch.setattr(celery, "_circuit", circuit)


@pytest.fixture
def embedded_worker() -> Iterator[EmbeddedWorker]:
    thread = EmbeddedWorker()
    yield thread
    thread.stop()


def test_a_webhook_wakes_it(
    embedded_worker: EmbeddedWorker, applied: threading.Event, settings: Settings
) -> None:
    settings.SWEEP_SECONDS = 3600
    api = api_of()
    embedded_worker.start()
    run = api.queue_full(FILES)
    assert applied.wait(WAIT_SECONDS)
    assert api.state(run)["state"] == "applied"


def test_what_a_killed_server_left_is_taken_up_at_the_start(
    embedded_worker: EmbeddedWorker, applied: threading.Event
) -> None:
    api = api_of()
    run = api.queue_full(FILES)
    assert claim_run(run_id=IndexRun.objects.get(pk=run["run_id"]).pk)
    embedded_worker.start()
    assert applied.wait(WAIT_SECONDS)


def test_a_text_index_of_before_is_built(
    embedded_worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    api_of().index(FILES)
    TrigramPosting.objects.all().delete()
    TrigramSegment.objects.all().delete()
    Repository.objects.update(text_generation=0)
    built = threading.Event()
    real = TextIndex.follow

    def follow_and_tell(index: TextIndex) -> None:
        real(index)
        built.set()

    monkeypatch.setattr(TextIndex, "follow", follow_and_tell)
    embedded_worker.start()
    assert built.wait(WAIT_SECONDS)
    assert Repository.objects.get().text_generation == 1
    assert TrigramSegment.objects.count() == 1


def test_what_is_retired_is_purged(
    embedded_worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(repository_deletion, "WRITERS_SECONDS", 0)
    api_of().index(FILES)
    repository = Repository.objects.get()
    retire_repository(repository)
    purged = threading.Event()
    real = organization_deletion.purge_repository

    def purge_and_tell(**arguments: int) -> None:
        real(**arguments)
        purged.set()

    monkeypatch.setattr(organization_deletion, "purge_repository", purge_and_tell)
    embedded_worker.start()
    assert purged.wait(WAIT_SECONDS)
    assert not Repository.objects.exists()


def test_a_connection_that_cannot_even_be_closed_does_not_end_it(
    embedded_worker: EmbeddedWorker,
    applied: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    """As where PostgreSQL was killed meanwhile."""
    settings.SWEEP_SECONDS = 1
    failed = threading.Event()
    real = background.close_old_connections

    def close() -> None:
        real()
        if not failed.is_set():
            failed.set()
            raise OperationalError("the database is away")

    monkeypatch.setattr(background, "close_old_connections", close)
    embedded_worker.start()
    assert failed.wait(WAIT_SECONDS)
    api_of().queue_full(FILES)
    assert applied.wait(WAIT_SECONDS)


def test_what_github_told_during_an_apply_is_carried_out_when_it_is_over(
    embedded_worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.SWEEP_SECONDS = 3600
    api = api_of()
    run = api.queue_full(FILES, repository_id=7)
    done = threading.Event()
    apply, carry_out = worker.apply_next, worker.apply_deferred

    def apply_and_be_told() -> bool:
        has_tried = apply()
        GitHubDelivery.objects.create(
            organization=api.organization,
            delivery_id="1",
            event="repository",
            waiting=dump_event(Removed(owner_id=5, repository_id=7)),
        )
        return has_tried

    def carry_out_and_tell() -> int:
        count = carry_out()
        done.set()
        return count

    monkeypatch.setattr(worker, "apply_next", apply_and_be_told)
    monkeypatch.setattr(worker, "apply_deferred", carry_out_and_tell)
    embedded_worker.start()
    assert done.wait(WAIT_SECONDS)
    assert Repository.objects.get(runs=run["run_id"]).retired_at


def test_a_run_waits_for_one_purge_at_most(
    embedded_worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(repository_deletion, "WRITERS_SECONDS", 0)
    settings.SWEEP_SECONDS = 3600
    api = api_of()
    for project in ("a", "b"):
        api.index(FILES, project=project)
        retire_repository(Repository.objects.get(name=project))
    happened: list[str] = []
    done = threading.Event()
    purge, apply = organization_deletion.purge_repository, worker.apply_next

    def purge_and_queue(*, repository_id: int) -> None:
        purge(repository_id=repository_id)
        happened.append("purge")
        if len(happened) == 1:
            api.queue_full(FILES)
        else:
            done.set()

    def apply_and_note() -> bool:
        has_tried = apply()
        happened.append("apply")
        return has_tried

    monkeypatch.setattr(organization_deletion, "purge_repository", purge_and_queue)
    monkeypatch.setattr(worker, "apply_next", apply_and_note)
    embedded_worker.start()
    assert done.wait(WAIT_SECONDS)
    assert happened == ["purge", "apply", "purge"]


def test_what_fails_to_be_forgotten_does_not_skip_the_night_s_reconcile(
    embedded_worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    reconciled = threading.Event()

    def fail(**arguments: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(worker, "apply_retention", fail)
    monkeypatch.setattr(worker, "reconcile", lambda **_: reconciled.set())
    monkeypatch.setattr(embedded_worker, "_reconcile_due", timezone.now())
    embedded_worker.start()
    assert reconciled.wait(WAIT_SECONDS)


@pytest.mark.parametrize(
    "error", [OperationalError("away"), StoreUnavailableError("away"), ZeroDivisionError()]
)
def test_it_outlives_an_error(
    embedded_worker: EmbeddedWorker,
    applied: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    failed = threading.Event()
    real = worker.sweep

    def fails_once() -> list[object]:
        if not failed.is_set():
            failed.set()
            raise error
        return list(real())

    monkeypatch.setattr(worker, "sweep", fails_once)
    monkeypatch.setattr(background, "_LONGEST_BACKOFF_SECONDS", 0.01)
    api = api_of()
    api.queue_full(FILES)
    embedded_worker.start()
    assert applied.wait(WAIT_SECONDS)
    assert failed.is_set()
    assert Repository.objects.get().generation == 1


def test_a_broken_broker_does_not_fail_the_webhook(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    api: Api = api_of()
    run = api.queue_full(FILES)
    assert api.state(run)["state"] == "queued"


def test_a_broken_broker_is_tried_twice_and_then_left_alone_for_a_while(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Each attempt takes seconds, for which a request would wait."""
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    for _ in range(50):
        RUNS.wake("a run")
    assert caplog.text.count("worker_notification_failed") == 2
    assert caplog.text.count("broker_circuit_open") == 1


def test_a_wake_up_without_a_broker_sets_the_event() -> None:
    event = threading.Event()
    RUNS.listen(event)
    api_of().queue_full(FILES)
    assert event.is_set()


def test_the_reconcile_is_due_once_a_night() -> None:
    night = datetime(2026, 11, 21, 3, 17, tzinfo=UTC)
    assert next_reconcile(datetime(2026, 11, 21, 0, 0, tzinfo=UTC)) == night
    assert next_reconcile(night) == datetime(2026, 11, 22, 3, 17, tzinfo=UTC)
