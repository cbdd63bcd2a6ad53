"""Registration with Django, for the commands. No tables."""

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """The `maintenance` app."""

    name = "central.maintenance"

    def ready(self) -> None:
        """Let the reconcile compare the text index."""
        from central.maintenance.reconcile import register_comparison
        from central.maintenance.text_upkeep import compare_text

        register_comparison(compare_text)
