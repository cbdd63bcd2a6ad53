"""Registration with Django."""

from django.apps import AppConfig


class StoredEdgesConfig(AppConfig):
    """The tables of stored edges; see central.extensions."""

    name = "central.trace.stored"
    label = "edges"
    default_auto_field = "django.db.models.BigAutoField"
    projections = ("central.trace.stored.follower.CallEdges",)
    collectors = ("central.trace.stored.metrics.EdgeCollector",)
