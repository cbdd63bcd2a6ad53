"""Metrics of the queue and of the indexes, read from the database at each scrape.

Live runs have an index of their own, and repositories are some thousands; ended runs are hundreds
of thousands, so those are counted once a minute. No metric names a repository or organisation.
"""

from collections.abc import Iterator
from typing import Any, Final

import structlog
from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import Count, Min, QuerySet, Sum
from django.utils import timezone
from prometheus_client.core import GaugeHistogramMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from aeterna_code_search.contract.status import IndexState
from central.db import fetch_rows, sql_with
from central.ingest.models import IndexRun
from central.repositories.models import Push, Repository
from central.repositories.states import LIVE_RUN_STATES, RunState, with_states

ENDED_KEY: Final = "ingest.metrics.ended"
_ENDED_SECONDS: Final = 60
_HOUR: Final = 3600
_AGES: Final = (_HOUR, 6 * _HOUR, 24 * _HOUR, 7 * 24 * _HOUR, 30 * 24 * _HOUR)
_RETIRED: Final = "retired"

_WITHIN: Final = ", ".join(f"count(*) FILTER (WHERE age <= {seconds})" for seconds in _AGES)
_sql = sql_with(within=_WITHIN, push=Push, repository=Repository)
_INDEX_AGES: Final = _sql("""SELECT sum(age), count(*),
        {within}
    FROM (SELECT extract(epoch FROM now() - indexed_at)::float8 AS age
        FROM {repository} WHERE retired_at IS NULL AND generation > 0) ages""")
_OLDEST_PUSH: Final = _sql("""SELECT extract(epoch FROM now() - min(p.pushed_at))::float8
    FROM {push} p JOIN {repository} r ON r.id = p.repository_id
    WHERE r.retired_at IS NULL AND NOT r.paused AND p.commit_sha <> r.last_indexed_commit
        AND (p.is_pending OR r.trouble = 'behind')""")

_log = structlog.get_logger(__name__)


class IndexCollector(Collector):
    """Numbers, states and ages of runs, repositories and chunks."""

    def describe(self) -> list[Metric]:
        """Describe nothing: registration must not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Run six queries. Without a database the process's own metrics stay readable."""
        is_up = GaugeMetricFamily("aeterna_database_up", "Whether the database answers.")
        try:
            found = [*_runs(), *_repositories(), *_ages()]
        except DatabaseError as exc:
            _log.warning("metrics_without_database", error=str(exc))
            is_up.add_metric([], 0)
            yield is_up
            return
        is_up.add_metric([], 1)
        yield is_up
        yield from found


def _runs() -> Iterator[Metric]:
    live = IndexRun.objects.filter(state__in=LIVE_RUN_STATES).order_by()
    counts = dict(live.values_list("state").annotate(Count("pk")))
    counts |= cache.get_or_set(ENDED_KEY, _ended, _ENDED_SECONDS) or {}
    runs = GaugeMetricFamily("aeterna_runs", "Runs by state.", labels=["state"])
    for state in RunState.values:
        runs.add_metric([state], counts.get(state, 0))
    yield runs
    oldest = live.filter(state=RunState.QUEUED).aggregate(oldest=Min("queued_at"))["oldest"]
    age = (timezone.now() - oldest).total_seconds() if oldest else 0
    yield GaugeMetricFamily(
        "aeterna_queue_age_seconds", "Time that the oldest queued run has waited.", value=age
    )


def _ended() -> dict[str, int]:
    ended = IndexRun.objects.exclude(state__in=LIVE_RUN_STATES).order_by()
    return dict(ended.values_list("state").annotate(Count("pk")))


def _repositories() -> Iterator[Metric]:
    there: QuerySet[Any] = with_states(Repository.objects.filter(retired_at=None)).order_by()
    by_state = there.values("index_state").annotate(
        count=Count("pk"), total_chunks=Sum("chunks"), total_files=Sum("files")
    )
    rows = {row["index_state"]: row for row in by_state}
    family = GaugeMetricFamily(
        "aeterna_repositories", "Repositories by the state of their index.", labels=["state"]
    )
    for state in IndexState:
        family.add_metric([state], rows[state]["count"] if state in rows else 0)
    family.add_metric([_RETIRED], Repository.objects.filter(retired_at__isnull=False).count())
    yield family
    for name, what in (("chunks", "Indexed chunks."), ("files", "Indexed files.")):
        total = sum(row[f"total_{name}"] for row in rows.values())
        yield GaugeMetricFamily(f"aeterna_{name}", what, value=total)


def _ages() -> Iterator[Metric]:
    ((total, count, *within),) = fetch_rows(_INDEX_AGES)
    buckets = [(str(float(age)), float(n)) for age, n in zip(_AGES, within, strict=True)]
    yield GaugeHistogramMetricFamily(
        "aeterna_index_age_seconds",
        "Time since each indexed repository was indexed.",
        buckets=[*buckets, ("+Inf", float(count))],
        gsum_value=float(total or 0),
    )
    ((age,),) = fetch_rows(_OLDEST_PUSH)
    yield GaugeMetricFamily(
        "aeterna_oldest_unindexed_push_seconds",
        "Time since the oldest push of which no index is known yet; 0 where there is none.",
        value=max(float(age or 0), 0.0),
    )
