"""Registration with Django."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """The `alerts` app; see central.extensions."""

    name = "central.alerts"
    default_auto_field = "django.db.models.BigAutoField"
    deletions = ("central.alerts.retention.DELETIONS",)
    exports = ("central.alerts.retention.export_members",)
