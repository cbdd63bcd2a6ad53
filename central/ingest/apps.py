"""Registration with Django."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """The `ingest` app; see central.extensions."""

    name = "central.ingest"
    default_auto_field = "django.db.models.BigAutoField"
    collectors = ("central.ingest.metrics.IndexCollector",)
