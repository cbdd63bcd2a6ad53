"""Registration with Django."""

from importlib import import_module

from django.apps import AppConfig
from prometheus_client import REGISTRY


class OnboardingConfig(AppConfig):
    """The `onboarding` app."""

    name = "central.onboarding"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system check; let /metrics count the queue; go with what is purged."""
        from central.maintenance.organization_export import register_tables
        from central.maintenance.repository_deletion import deletion, register_rows
        from central.onboarding.metrics import BackfillCollector
        from central.onboarding.models import Backfill, BackfillRepository

        import_module("central.onboarding.checks")
        REGISTRY.register(BackfillCollector())
        register_rows(deletion(BackfillRepository, "repository_id = %s"))
        register_tables(backfills=Backfill, backfill_repositories=BackfillRepository)
