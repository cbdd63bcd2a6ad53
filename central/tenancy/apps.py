"""Registration with Django."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, register


class TenancyConfig(AppConfig):
    name = "central.tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        import_module("central.checks")
        import_module("central.tenancy.checks")


class Administration(SimpleAdminConfig):
    """`django.contrib.admin`, on our own site (central.tenancy.admin_base).

    The admins are imported with the routes (central.urls) and for the checks, not by each command.
    """

    default_site = "central.tenancy.admin_base.AdminSite"

    def ready(self) -> None:
        """Register the admin's checks."""
        register(check_dependencies, Tags.admin)
        register(_check_admins, Tags.admin)


def _check_admins(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    autodiscover()
    return check_admin_app(app_configs)
