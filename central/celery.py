"""The Celery application. A message only wakes a worker; tables are the queues."""

import os
from contextlib import suppress

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from central.circuit import Circuit, CircuitOpenError
from central.observability import celery
from central.observability.celery import WorkerHeartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

celery.prepare()  # before anything counts

BACKFILL_QUEUE = "backfill"
_FAILURES = 2  # in a row; a connection that was kept over a restart of the broker fails once
_PAUSE_SECONDS = 5.0

app = Celery("central", include=["central.tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].add(WorkerHeartbeat)
# Clones have workers of their own (deploy/entrypoint.sh backfill): see central.tasks.
app.conf.task_routes = {
    f"central.onboarding.tasks.{name}": {"queue": BACKFILL_QUEUE}
    for name in ("work", "follow_branches")
}
app.conf.beat_schedule = {}  # central.tasks fills it

_log = structlog.get_logger(__name__)


def _log_change(is_open: bool) -> None:
    _log.warning("broker_circuit_open" if is_open else "broker_recovered")


_circuit = Circuit(threshold=_FAILURES, pause_seconds=_PAUSE_SECONDS, changed=_log_change)


def notify_worker(task: str, *arguments: str, expires: float | None = None) -> None:
    """Send a task by its name. Never raises for a lost broker: a sweep finds what is due.

    Call it after the commit. `expires`: seconds after which the message is dropped. An attempt at
    an unreachable broker takes seconds: after two, messages are dropped for a while.
    """
    with suppress(CircuitOpenError):  # its opening was logged
        try:
            with _circuit.guard(OperationalError, OSError):
                app.signature(task, args=arguments, expires=expires).apply_async()
        except (OperationalError, OSError) as exc:
            _log.warning("worker_notification_failed", task=task, error=str(exc))
