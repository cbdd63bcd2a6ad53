"""Registration with Django."""

from importlib import import_module

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    """The `tenancy` app."""

    name = "central.tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the OpenAPI document know the bearer token."""
        import_module("central.tenancy.schema")  # registers itself
