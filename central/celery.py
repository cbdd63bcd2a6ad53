"""The Celery application. A message only wakes a worker; the runs table is the queue."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

app = Celery("central")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
