"""Registration with Django, for the commands. No tables."""

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """The `maintenance` app; see central.extensions."""

    name = "central.maintenance"
    comparisons = (
        "central.maintenance.text_upkeep.compare_text",
        "central.maintenance.edge_upkeep.compare_edges",
    )
