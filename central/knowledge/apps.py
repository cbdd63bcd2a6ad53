"""Registration with Django."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """The `knowledge` app."""

    name = "central.knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of every applied run."""
        from central.corpus.signals import index_applied

        index_applied.connect(_wake, dispatch_uid="central.knowledge")


def _wake(**_: object) -> None:
    from central.knowledge.wakeup import wake

    wake()
