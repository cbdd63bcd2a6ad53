"""Registration with Django."""

from django.apps import AppConfig
from prometheus_client import REGISTRY


class IngestConfig(AppConfig):
    """The `ingest` app."""

    name = "central.ingest"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let /metrics count the runs."""
        from central.ingest.metrics import IndexCollector

        REGISTRY.register(IndexCollector())
