"""Registration with Django."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """The `alerts` app."""

    name = "central.alerts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Go with what is purged and exported."""
        from central.alerts.models import AlertDestination, RepositoryAlert
        from central.maintenance.organization_export import register_tables
        from central.maintenance.repository_deletion import deletion, register_rows

        register_rows(deletion(RepositoryAlert, "repository_id = %s"))
        register_tables(alert_destinations=AlertDestination, alerts=RepositoryAlert)
