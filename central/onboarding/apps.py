"""Registration with Django."""

from importlib import import_module

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    """The `onboarding` app; see central.extensions."""

    name = "central.onboarding"
    default_auto_field = "django.db.models.BigAutoField"
    collectors = ("central.onboarding.metrics.BackfillCollector",)
    deletions = ("central.onboarding.retention.DELETIONS",)
    exports = ("central.onboarding.retention.export_members",)

    def ready(self) -> None:
        """Register the system check."""
        import_module("central.onboarding.checks")
