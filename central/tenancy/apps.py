"""Registration with Django."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class TenancyConfig(AppConfig):
    name = "central.tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks, and the bearer token with the OpenAPI document."""
        import_module("central.checks")
        import_module("central.tenancy.checks")
        import_module("central.tenancy.authentication")


class Administration(AdminConfig):
    """`django.contrib.admin`, where every change is audited (central.tenancy.admin_base)."""

    default_site = "central.tenancy.admin_base.AuditedSite"
