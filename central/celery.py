"""The Celery application. A message only wakes a worker; the runs table is the queue."""

import os

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

from central.common import messages, worker_metrics  # noqa: F401 (messages connects to signals)
from central.heartbeat import WorkerHeartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

worker_metrics.prepare()  # before anything counts

app = Celery("central")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(WorkerHeartbeat)
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
    "maintain": {
        "task": "central.ingest.tasks.maintain",
        "schedule": crontab(hour="4", minute="17"),
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
