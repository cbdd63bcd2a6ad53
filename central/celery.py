"""The Celery application. A message only wakes a worker; the runs table is the queue."""

import os
from contextlib import suppress

import structlog
from celery import Celery
from celery.schedules import crontab
from django.conf import settings
from kombu.exceptions import OperationalError

from central.circuit import Circuit, CircuitOpenError
from central.observability import celery
from central.observability.celery import WorkerHeartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

celery.prepare()  # before anything counts

BACKFILL_QUEUE = "backfill"
_FAILURES = 2  # in a row; a connection that was kept over a restart of the broker fails once
_PAUSE_SECONDS = 5.0

app = Celery("central")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(WorkerHeartbeat)
# Clones have workers of their own (deploy/entrypoint.sh backfill): see central.onboarding.tasks.
app.conf.task_routes = {"central.onboarding.tasks.work": {"queue": BACKFILL_QUEUE}}
app.conf.beat_schedule = {
    "sweep": {
        "task": "central.ingest.tasks.sweep",
        "schedule": float(settings.SWEEP_SECONDS),
    },
    "keep": {
        "task": "central.ingest.tasks.keep",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "graph": {
        "task": "central.knowledge.tasks.catch_up",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "edges": {
        "task": "central.trace.stored.tasks.follow",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "maintain": {
        "task": "central.ingest.tasks.maintain",
        "schedule": crontab(hour="4", minute="17"),
    },
    "text": {
        "task": "central.maintenance.tasks.maintain_text",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "backfill": {
        "task": "central.onboarding.tasks.sweep",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "alerts": {
        "task": "central.alerts.tasks.send",
        "schedule": float(settings.SWEEP_SECONDS),
        "options": {"expires": float(settings.SWEEP_SECONDS)},
    },
    "purge": {
        "task": "central.ingest.tasks.purge",
        "schedule": crontab(minute="*/5"),
        "options": {"expires": 300},
    },
    "forget": {
        "task": "central.ingest.tasks.forget",
        "schedule": crontab(hour="3", minute="7"),
    },
    "reconcile": {
        "task": "central.ingest.tasks.reconcile",
        "schedule": crontab(hour="3", minute="17"),
    },
}

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
            with _circuit.guard(_BrokerUnavailableError):
                _send(task, arguments, expires)
        except _BrokerUnavailableError as exc:
            _log.warning("worker_notification_failed", task=task, error=str(exc))


class _BrokerUnavailableError(Exception):
    pass


def _send(task: str, arguments: tuple[str, ...], expires: float | None) -> None:
    try:
        app.signature(task, args=arguments, expires=expires).apply_async()
    except (OperationalError, OSError) as exc:
        raise _BrokerUnavailableError(str(exc)) from exc
