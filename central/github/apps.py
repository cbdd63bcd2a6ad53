"""Registration with Django."""

from django.apps import AppConfig


class GitHubConfig(AppConfig):
    """The `github` app."""

    name = "central.github"
    verbose_name = "GitHub"
    default_auto_field = "django.db.models.BigAutoField"
