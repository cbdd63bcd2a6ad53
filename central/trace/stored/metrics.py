"""Metrics of stored edges, read from the database at each scrape. None names a tenant."""

from collections.abc import Iterator

from django.db import DatabaseError
from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from central.trace.stored.models import Source


class EdgeCollector(Collector):
    """How far stored edges are behind."""

    def describe(self) -> list[Metric]:
        """Describe nothing: registration must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Run one query; without a database, `aeterna_database_up` says so."""
        try:
            counts = dict(Source.objects.filter(due=True).values_list("due").annotate(Count("pk")))
        except DatabaseError:
            return
        yield GaugeMetricFamily(
            "aeterna_edges_due_files",
            "Files whose references are to be resolved again, for stored edges.",
            value=counts.get(True, 0),
        )
