"""Registration with Django."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "central.knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of every applied run; go with what is purged, exported, reconciled and shown."""
        from central.background import GRAPH
        from central.ingest.services.apply_run import register_follow_up
        from central.knowledge.services.comparing import compare_graph
        from central.knowledge.services.not_run import policies_not_run_by_repository
        from central.knowledge.services.retention import DELETIONS, export_members
        from central.maintenance.organization_export import register_members
        from central.maintenance.reconcile import register_comparison
        from central.maintenance.repository_deletion import register_rows
        from central.repositories.status import register_policies_not_run

        register_follow_up(GRAPH.wake)
        register_members(export_members)
        register_comparison(compare_graph)
        register_policies_not_run(policies_not_run_by_repository)
        for statement in DELETIONS:
            register_rows(statement)
