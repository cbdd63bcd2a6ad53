"""Metrics of the backfill's queue, read from the database at each scrape. None names a tenant."""

from collections.abc import Iterator

from django.db import DatabaseError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from central.onboarding.models import ACTIVE, BackfillRepository, WorkState


class BackfillCollector(Collector):
    """Numbers of repositories of active backfills by state, and the age of the oldest due."""

    def describe(self) -> list[Metric]:
        """Describe nothing: registration must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Run two queries; without a database, `aeterna_database_up` says so."""
        try:
            rows = BackfillRepository.objects.filter(ACTIVE).order_by()
            counts = dict(rows.values_list("state").annotate(Count("pk")))
            now = timezone.now()
            due = rows.filter(state=WorkState.QUEUED, due_at__lte=now)
            oldest = due.aggregate(oldest=Min("due_at"))["oldest"]
        except DatabaseError:
            return
        family = GaugeMetricFamily(
            "aeterna_backfill_repositories",
            "Repositories that the service clones itself, by state.",
            labels=["state"],
        )
        for state in WorkState.values:
            family.add_metric([state], counts.get(state, 0))
        yield family
        yield GaugeMetricFamily(
            "aeterna_backfill_queue_age_seconds",
            "Time that the oldest due repository of a backfill has waited.",
            value=(now - oldest).total_seconds() if oldest else 0,
        )
