"""Figures of the queue, read from the database when Prometheus asks."""

from collections.abc import Iterator

import structlog
from django.db import DatabaseError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from central.ingest.models import IndexRun, RunState

_log = structlog.get_logger(__name__)


class QueueCollector(Collector):
    """Runs by state, and for how long the oldest queued run has waited."""

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing beforehand: registering must not ask the database."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Two queries. Without a database the process's own figures must still be readable."""
        is_up = GaugeMetricFamily("aeterna_database_up", "Whether the database answers.")
        try:
            counts = dict(IndexRun.objects.order_by().values_list("state").annotate(Count("pk")))
            waiting = IndexRun.objects.filter(state=RunState.QUEUED)
            oldest = waiting.aggregate(oldest=Min("queued_at"))["oldest"]
        except DatabaseError as exc:
            _log.warning("metrics_without_database", error=str(exc))
            is_up.add_metric([], 0)
            yield is_up
            return
        is_up.add_metric([], 1)
        yield is_up
        runs = GaugeMetricFamily("aeterna_runs", "Runs by state.", labels=["state"])
        for state in RunState.values:
            runs.add_metric([state], counts.get(state, 0))
        yield runs
        age = (timezone.now() - oldest).total_seconds() if oldest else 0
        yield GaugeMetricFamily(
            "aeterna_queue_age_seconds", "Time that the oldest queued run has waited.", value=age
        )
