"""Who waits for the end of a run learns of it: in the process that ends it, and in another."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from central.ingest import run_waits
from central.ingest.models import IndexRun
from central.ingest.run_waits import RUN_WAITS, EndsElsewhere
from central.ingest.services.claims import sweep
from central.repositories.models import Repository
from central.waits import Wait, Waits
from tests.central.ingest.deaf_sessions import deaf_sessions
from tests.central.protocol import Api, apply_queued, claim_run
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {"a.py": "def a\n"}
WAIT_SECONDS = 60


def applied(api: Api) -> None:
    assert apply_queued() == ["applied"]


def stale(api: Api) -> None:
    Repository.objects.update(generation=7)
    assert apply_queued() == ["stale"]


def failed(api: Api) -> None:
    IndexRun.objects.update(attempts=1_000)
    assert apply_queued() == [None]


def abandoned_with_its_repository(api: Api) -> None:
    Repository.objects.update(retired_at=timezone.now())
    sweep()


def given_up(api: Api) -> None:
    IndexRun.objects.update(state="open")
    run = IndexRun.objects.get()
    assert api.request("DELETE", f"/api/v1/index/runs/{run.pk}").status_code == 204


def expired(api: Api) -> None:
    IndexRun.objects.update(state="open", touched_at=timezone.now() - timedelta(days=1))
    sweep()


ENDS = [applied, stale, failed, abandoned_with_its_repository, given_up, expired]


@pytest.fixture
def run_id(api: Api) -> str:
    """A queued run."""
    return str(api.queue_full(FILES)["run_id"])


@pytest.mark.parametrize("end", ENDS)
def test_every_end_of_a_run_wakes_who_waits_in_this_process(
    api: Api, run_id: str, end: Callable[[Api], None]
) -> None:
    wait = entered(RUN_WAITS, run_id)
    end(api)
    assert wait.woken.done()
    assert IndexRun.objects.get().ended_at


@pytest.mark.parametrize("end", ENDS)
def test_every_end_of_a_run_is_a_notification_for_other_processes(
    api: Api, run_id: str, end: Callable[[Api], None], settings: Settings
) -> None:
    settings.DATABASE_IS_EMBEDDED = False
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
        session.execute(f"LISTEN {run_waits._CHANNEL}")
        end(api)
        (heard,) = session.notifies(timeout=WAIT_SECONDS, stop_after=1)
    assert heard.payload == run_id


def test_a_run_that_is_claimed_or_queued_again_has_not_ended(run_id: str) -> None:
    wait = entered(RUN_WAITS, run_id)
    claim = claim_run(run_id=IndexRun.objects.get().pk)
    assert claim
    claim.requeue("the store is unavailable")
    assert not wait.woken.done()


# --- Ends in other processes --------------------------------------------------------------------


class Elsewhere:
    """A process that waits: it is not told of what `RUN_WAITS` is told of."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits = Waits(at_once=9, of_one_organization=9)
        self.looks = threading.Semaphore(0)
        self._ends = EndsElsewhere(self.waits)
        look = self._ends._look

        def counted() -> None:
            look()
            self.looks.release()

        monkeypatch.setattr(self._ends, "_look", counted)

    def wait(self, run_id: str) -> Wait:
        """A place whose end is looked for."""
        wait = entered(self.waits, run_id)
        self._ends.watch()
        return wait


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[Elsewhere]:
    settings.DATABASE_IS_EMBEDDED = False
    process = Elsewhere(monkeypatch)
    yield process
    process.waits.end()
    wait_until(lambda: not any(one.name == "run ends" for one in threading.enumerate()))


def entered(waits: Waits, run_id: str) -> Wait:
    wait = waits.enter(run_id, 1)
    assert wait
    return wait


def listening() -> list[int]:
    """The database's sessions that listen."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = %s"
    with connection.cursor() as cursor:
        cursor.execute(query, [f"LISTEN {run_waits._CHANNEL}"])
        return [pid for (pid,) in cursor.fetchall()]


def test_a_notification_wakes_and_nobody_asks_for_states_meanwhile(
    elsewhere: Elsewhere, run_id: str
) -> None:
    first = elsewhere.wait(run_id)
    assert elsewhere.looks.acquire(timeout=WAIT_SECONDS)  # as it began to listen
    second, other = elsewhere.wait(run_id), elsewhere.wait("another run")
    assert len(listening()) == 1
    assert apply_queued() == ["applied"]
    first.woken.result(WAIT_SECONDS)
    second.woken.result(WAIT_SECONDS)
    assert not other.woken.done()
    assert not elsewhere.looks.acquire(blocking=False)


def test_a_session_is_tried_again_and_states_are_read_then(
    elsewhere: Elsewhere, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of the version before sends no notification."""
    monkeypatch.setattr(run_waits, "_TRUSTED_SECONDS", 0.1)
    wait = elsewhere.wait(run_id)
    wait_until(lambda: len(listening()) == 1)
    session = listening()
    for _ in range(3):
        assert elsewhere.looks.acquire(timeout=WAIT_SECONDS)
    IndexRun.objects.update(state="applied")
    wait.woken.result(WAIT_SECONDS)
    assert listening() in (session, [])


def test_an_end_before_the_session_listens_is_seen(elsewhere: Elsewhere, run_id: str) -> None:
    place = entered(elsewhere.waits, run_id)
    assert apply_queued() == ["applied"]
    elsewhere.wait("another run")
    place.woken.result(WAIT_SECONDS)


def test_a_run_that_is_gone_is_waited_for_no_longer(elsewhere: Elsewhere, run_id: str) -> None:
    wait = entered(elsewhere.waits, run_id)
    IndexRun.objects.all().delete()
    elsewhere.wait("another run")
    wait.woken.result(WAIT_SECONDS)


def test_where_the_session_is_lost_states_are_read(elsewhere: Elsewhere, run_id: str) -> None:
    wait = elsewhere.wait(run_id)
    assert elsewhere.looks.acquire(timeout=WAIT_SECONDS)
    wait_until(lambda: len(listening()) == 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", listening())
    assert elsewhere.looks.acquire(timeout=WAIT_SECONDS)
    assert apply_queued() == ["applied"]
    wait.woken.result(WAIT_SECONDS)


def test_behind_a_pooler_that_passes_no_notification_on_states_are_read(
    elsewhere: Elsewhere, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deaf_sessions(monkeypatch):
        wait = elsewhere.wait(run_id)
        for _ in range(2):  # as it began to listen, and because it hears nothing
            assert elsewhere.looks.acquire(timeout=WAIT_SECONDS)
        assert apply_queued() == ["applied"]
        wait.woken.result(WAIT_SECONDS)
        elsewhere.waits.end()
        wait_until(lambda: not any(one.name == "run ends" for one in threading.enumerate()))


def test_the_session_ends_when_nobody_waits_and_begins_again(
    elsewhere: Elsewhere, run_id: str
) -> None:
    for _ in range(2):
        wait = elsewhere.wait(run_id)
        wait_until(lambda: len(listening()) == 1)
        elsewhere.waits.leave(wait)
        wait_until(lambda: listening() == [])
