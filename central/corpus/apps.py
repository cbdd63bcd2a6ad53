"""Registration with Django."""

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    """The `corpus` app."""

    name = "central.corpus"
    default_auto_field = "django.db.models.BigAutoField"
