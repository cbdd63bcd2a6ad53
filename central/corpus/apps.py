"""Registration with Django."""

from django.apps import AppConfig

from central.observability import health


class CorpusConfig(AppConfig):
    """The `corpus` app; see central.extensions."""

    name = "central.corpus"
    default_auto_field = "django.db.models.BigAutoField"
    projections = ("central.corpus.trigrams.upkeep.TextIndex",)

    def ready(self) -> None:
        """Let /readyz ask the vector store."""
        health.CHECKS["vector_store"] = _check_vector_store


def _check_vector_store() -> None:
    from central.corpus.backends import vector_store

    vector_store().check()
