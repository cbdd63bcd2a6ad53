"""Celery's side: a thin wrapper."""

from central.alerts.services.queue import send_alerts
from central.celery import app


@app.task(name="central.alerts.tasks.send")
def send() -> None:
    """Detect problems and send what is due."""
    send_alerts()
