"""Registration with Django, for the commands. No tables."""

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """The `maintenance` app."""

    name = "central.maintenance"
