"""Registration with Django."""

from django.apps import AppConfig


class StoredEdgesConfig(AppConfig):
    """The tables of stored edges."""

    name = "central.trace.stored"
    label = "edges"
    default_auto_field = "django.db.models.BigAutoField"
