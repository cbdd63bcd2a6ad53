"""The embedded server's thread that sends alerts."""

from central.alerts.services.queue import send_alerts
from central.background import ALERTS, WorkerThread


class AlertWorker(WorkerThread):
    """Start it once in the process that serves."""

    wake_up = ALERTS
    stop_seconds = 10

    def __init__(self) -> None:
        super().__init__("alerts")

    def work(self) -> None:
        """Detect problems and send what is due."""
        send_alerts(is_stopping=self.is_stopping)
