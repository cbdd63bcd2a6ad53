"""Registration with Django."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """The `knowledge` app."""

    name = "central.knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of every applied run; go with what is purged, exported and reconciled."""
        from central.corpus.signals import index_applied
        from central.ingest.services.exporting import register_members
        from central.ingest.services.purging import register_rows
        from central.ingest.services.reconciling import register_comparison
        from central.knowledge.services.comparing import compare_graph
        from central.knowledge.services.retention import export_members, rows_of_repository

        index_applied.connect(_wake, dispatch_uid="central.knowledge")
        register_members(export_members)
        register_comparison(compare_graph)
        for table, condition in rows_of_repository():
            register_rows(table, condition)


def _wake(**_: object) -> None:
    from central.knowledge.wakeup import wake

    wake()
