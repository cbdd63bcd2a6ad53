"""The ends of runs, requests that wait for them, and how these learn of it.

In the process that ends the run, they are woken after the commit. Any other learns by NOTIFY, which
is a hint: it needs a session of its own with the database, which a pooler may not give, and which
can be lost. While there is none that hears, the states of all awaited runs are read once a second.
"""

import threading
import time
from functools import partial
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog
from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from central.db import execute, sql
from central.ingest.models import IndexRun
from central.repositories.states import BUSY_RUN_STATES, RunState
from central.waits import Wait, Waits

RUN_ENDS_AWAITED: Final = 200  # requests of a process that wait for one, without a thread
RUN_ENDS_AWAITED_OF_ORGANIZATION: Final = 10
RUN_WAITS: Final = Waits(
    at_once=RUN_ENDS_AWAITED, of_one_organization=RUN_ENDS_AWAITED_OF_ORGANIZATION
)
_CHANNEL: Final = "aeterna_run_ended"
_NOTIFY: Final = sql("SELECT pg_notify(%s::text, %s::text)")
_LOOK_SECONDS: Final = 1.0
_TRUSTED_SECONDS: Final = 60.0  # so long is a session that hears not tried again
_LISTEN_AGAIN_SECONDS: Final = 60.0  # after a session that was lost or that does not hear

_log = structlog.get_logger(__name__)


def enter_wait(run_id: UUID, *, organization_id: int) -> Wait | None:
    """Take a place to wait for a run's end, before its state is read; None if too many wait."""
    return RUN_WAITS.enter(str(run_id), organization_id)


def watch_ends() -> None:
    """Learn of ends in other processes too, now that a request waits for a busy run."""
    if not _is_alone():
        _ENDS_ELSEWHERE.watch()


def end_run(run: IndexRun, *, of: QuerySet[IndexRun], state: RunState, **fields: Any) -> bool:
    """End the run, and wake who waits for that after the commit; false if it is none of `of`.

    No other place gives a run its final state.
    """
    with transaction.atomic(savepoint=False):
        done = of.filter(pk=run.pk).update(state=state, ended_at=timezone.now(), **fields)
        if done:
            transaction.on_commit(partial(RUN_WAITS.wake, {str(run.pk)}))
            if not _is_alone():
                execute(_NOTIFY, [_CHANNEL, str(run.pk)])
    return bool(done)


def _is_alone() -> bool:
    """Whether no other process ends runs, or waits for their ends."""
    return settings.DATABASE_IS_EMBEDDED and not settings.CELERY_BROKER_URL


class EndsElsewhere:
    """A thread that learns of runs' ends in other processes, as long as a request waits here."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def watch(self) -> None:
        """Let the thread run; call it after taking a place."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="run ends", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        try:
            while self._is_needed():
                self._listen()
                self._look_each_second()
        finally:
            connection.close()
            with self._lock:
                if self._thread is threading.current_thread():  # it failed
                    self._thread = None

    def _is_needed(self) -> bool:
        """Whether a request waits; if none does, `watch` starts another thread from now on."""
        with self._lock:
            if not self._waits.awaited():
                self._thread = None
            return self._thread is not None

    def _listen(self) -> None:
        """Wake by notifications until no request waits, or the session is lost or hears none."""
        try:
            with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
                session.execute(f"LISTEN {_CHANNEL}")
                while self._waits.awaited():
                    if not self._hears(session):
                        _log.info("run_ends_not_heard")
                        return
        except (psycopg.Error, Error) as exc:
            _log.warning("run_ends_not_heard", error=str(exc))

    def _hears(self, session: psycopg.Connection[Any]) -> bool:
        """Wake by notifications for a minute; false if none comes, although one is sent first.

        A pooler may give each statement another session, and a lost one may look as if it lived.
        """
        self._look()  # what ended before
        execute(_NOTIFY, [_CHANNEL, ""])
        connection.close()
        until = time.monotonic() + _TRUSTED_SECONDS
        has_heard = False
        while self._waits.awaited() and time.monotonic() < until:
            for notification in session.notifies(timeout=_LOOK_SECONDS):
                has_heard = True
                self._waits.wake({notification.payload})
            if not has_heard:
                return False
        return True

    def _look_each_second(self) -> None:
        until = time.monotonic() + _LISTEN_AGAIN_SECONDS
        while self._waits.awaited() and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            try:
                self._look()
            except Error as exc:
                _log.warning("run_ends_unknown", error=str(exc))
            connection.close()

    def _look(self) -> None:
        """Read the states of all awaited runs, and wake who waits for one that has ended."""
        keys = self._waits.awaited()
        busy = IndexRun.objects.filter(pk__in=keys, state__in=BUSY_RUN_STATES)
        self._waits.wake(keys - set(map(str, busy.values_list("pk", flat=True))))


_ENDS_ELSEWHERE: Final = EndsElsewhere(RUN_WAITS)
