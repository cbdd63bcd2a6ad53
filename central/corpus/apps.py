"""Registration with Django."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from central.observability import health


class CorpusConfig(AppConfig):
    """The `corpus` app; see central.extensions."""

    name = "central.corpus"
    default_auto_field = "django.db.models.BigAutoField"
    projections = ("central.corpus.trigrams.upkeep.TextIndex",)

    def ready(self) -> None:
        """Let /readyz ask the vector store, and each `migrate` make the tables of branches."""
        health.CHECKS["vector_store"] = _check_vector_store
        pre_migrate.connect(_drop_views_of_branches, sender=self)
        post_migrate.connect(_make_tables_of_branches, sender=self)


def _drop_views_of_branches(*, plan: Sequence[object] = (), **_: Any) -> None:
    from central.corpus.branches.tables import drop_views

    if plan:
        drop_views()


def _make_tables_of_branches(*, plan: Sequence[object] = (), **_: Any) -> None:
    """Make them, if all of the models that they follow are there: not after a migration back."""
    from central.corpus.branches.tables import are_tables_made, make_tables

    if plan or not are_tables_made():
        make_tables()


def _check_vector_store() -> None:
    from central.corpus.backends import vector_store

    vector_store().check()
