"""Registration with Django."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """The `knowledge` app; see central.extensions."""

    name = "central.knowledge"
    default_auto_field = "django.db.models.BigAutoField"
    projections = ("central.knowledge.services.catch_up.KnowledgeGraph",)
    deletions = ("central.knowledge.services.retention.DELETIONS",)
    exports = ("central.knowledge.services.retention.export_members",)
    policies_not_run = ("central.knowledge.services.not_run.policies_not_run_by_repository",)
