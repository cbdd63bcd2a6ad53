"""Registration with Django."""

from django.apps import AppConfig


class RepositoriesConfig(AppConfig):
    """The `repositories` app; see central.extensions."""

    name = "central.repositories"
    default_auto_field = "django.db.models.BigAutoField"
    collectors = ("central.repositories.metrics.RepositoryCollector",)
