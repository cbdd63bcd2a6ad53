"""Registration with Django."""

from django.apps import AppConfig


class ForgesConfig(AppConfig):
    """The `forges` app."""

    name = "central.forges"
    default_auto_field = "django.db.models.BigAutoField"
