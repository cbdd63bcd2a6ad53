"""Registration with Django."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    """The `tenancy` app."""

    name = "central.tenancy"
    default_auto_field = "django.db.models.BigAutoField"
