"""Registration with Django."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """The `knowledge` app."""

    name = "central.knowledge"
    default_auto_field = "django.db.models.BigAutoField"
