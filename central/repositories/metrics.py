"""Metrics of repositories, read from the database at each scrape. None names a tenant."""

from collections.abc import Iterator

from django.db import DatabaseError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from central.repositories.expectations import without_index
from central.repositories.models import Branch, Repository
from central.repositories.states import FAILURES

_WAITING = "waiting"


class RepositoryCollector(Collector):
    """Repositories that should have an index and have none, the age of the oldest, and branches."""

    def describe(self) -> list[Metric]:
        """Describe nothing: registration must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Run three queries; without a database, `aeterna_database_up` says so."""
        try:
            rows = without_index(Repository.objects.filter(retired_at=None)).order_by()
            counts = dict(rows.values_list("trouble").annotate(Count("pk")))
            oldest = rows.aggregate(oldest=Min("created_at"))["oldest"]
            branches = Branch.objects.filter(repository__retired_at=None).count()
        except DatabaseError:
            return
        family = GaugeMetricFamily(
            "aeterna_repositories_without_index",
            "Repositories that should have an index and have none, by reason.",
            labels=["reason"],
        )
        for reason in FAILURES:
            family.add_metric([reason.value], counts.get(reason.value, 0))
        waiting = sum(count for reason, count in counts.items() if reason not in FAILURES)
        family.add_metric([_WAITING], waiting)
        yield family
        yield GaugeMetricFamily(
            "aeterna_repositories_without_index_age_seconds",
            "Time that the oldest of these repositories has waited for its first index.",
            value=(timezone.now() - oldest).total_seconds() if oldest else 0,
        )
        yield GaugeMetricFamily(
            "aeterna_branches", "Indexed branches beside the default ones.", value=branches
        )
