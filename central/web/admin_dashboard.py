"""Figures of the admin's front page, in a fixed number of queries."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import BigIntegerField, Count, F, Max, Min, Q, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncDate
from django.http import HttpRequest
from django.utils import timezone

from aeterna_code_search.contract.status import IndexState
from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES, RunState, with_states

DAYS = 14
LISTED = 10
FAILED_STATES = (RunState.FAILED, RunState.EXPIRED)


@dataclass(frozen=True, slots=True)
class StateShare:
    """How many repositories are in a state; `percent` of all, rounded."""

    state: str
    count: int
    percent: int


@dataclass(frozen=True, slots=True)
class Freshness:
    """The state of the indexes of all organisations."""

    total: int
    shares: list[StateShare]
    newest: datetime | None
    oldest: datetime | None
    files: int
    chunks: int
    requested: int


@dataclass(frozen=True, slots=True)
class Queue:
    """Runs that have not ended. `lease_until` is how long a worker's claim holds, the newest."""

    open: int
    queued: int
    applying: int
    queued_since: datetime | None
    lease_until: datetime | None

    @property
    def is_worked_on(self) -> bool:
        return self.lease_until is not None and self.lease_until > timezone.now()

    @property
    def worker_seen_at(self) -> datetime | None:
        """About when a worker last renewed its claim."""
        if self.lease_until is None:
            return None
        return self.lease_until - timedelta(seconds=settings.RUN_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class Day:
    """Runs that were opened on a day (UTC), and what those of them wrote that were applied."""

    day: date
    applied: int
    failed: int
    others: int
    files: int
    chunks: int
    percent: int  # of the busiest day's runs


def freshness() -> Freshness:
    """One query."""
    repositories = Repository.objects.filter(retired_at=None).order_by()
    by_state = {
        row["index_state"]: row
        for row in with_states(repositories)
        .values("index_state")
        .annotate(
            count=Count("pk"),
            newest=Max("indexed_at"),
            oldest=Min("indexed_at"),
            all_files=Sum("files"),
            all_chunks=Sum("chunks"),
            requested=Count("reindex_requested_at"),
        )
    }
    rows = list(by_state.values())
    total = sum(row["count"] for row in rows)
    return Freshness(
        total=total,
        shares=[
            StateShare(state.value, count, _percent(count, total))
            for state in IndexState
            if (count := by_state.get(state, {}).get("count", 0))
        ],
        newest=max(filter(None, (row["newest"] for row in rows)), default=None),
        oldest=min(filter(None, (row["oldest"] for row in rows)), default=None),
        files=sum(row["all_files"] for row in rows),
        chunks=sum(row["all_chunks"] for row in rows),
        requested=sum(row["requested"] for row in rows),
    )


def queue() -> Queue:
    """One query, of the index on runs that have not ended."""
    live = IndexRun.objects.filter(state__in=LIVE_RUN_STATES).order_by()
    by_state: dict[str, Any] = {
        row["state"]: row
        for row in live.values("state").annotate(
            count=Count("pk"), since=Min("queued_at"), lease=Max("lease_until")
        )
    }

    def of(state: RunState, figure: str) -> Any:
        return by_state.get(state, {}).get(figure)

    return Queue(
        open=of(RunState.OPEN, "count") or 0,
        queued=of(RunState.QUEUED, "count") or 0,
        applying=of(RunState.APPLYING, "count") or 0,
        queued_since=of(RunState.QUEUED, "since"),
        lease_until=of(RunState.APPLYING, "lease"),
    )


def days() -> list[Day]:
    """The last days, newest first; one query, of the index on when runs were opened."""
    today = timezone.now().date()
    first = datetime.combine(today - timedelta(days=DAYS - 1), time.min, UTC)
    is_applied = Q(state=RunState.APPLIED)
    is_failed = Q(state__in=FAILED_STATES)
    rows: dict[date, Any] = {
        row["day"]: row
        for row in IndexRun.objects.filter(opened_at__gte=first)
        .order_by()
        .values(day=TruncDate("opened_at"))
        .annotate(
            runs=Count("pk"),
            applied=Count("pk", filter=is_applied),
            failed=Count("pk", filter=is_failed),
            files=Sum(Cast(KT("stats__files_changed"), BigIntegerField()), filter=is_applied),
            chunks=Sum(Cast(KT("stats__chunks"), BigIntegerField()), filter=is_applied),
        )
    }
    most = max((row["runs"] for row in rows.values()), default=0)
    return [_day(today - timedelta(days=ago), rows, most) for ago in range(DAYS)]


def _day(day: date, rows: dict[date, dict[str, Any]], most: int) -> Day:
    row = rows.get(day)
    if row is None:
        return Day(day, 0, 0, 0, 0, 0, 0)
    return Day(
        day=day,
        applied=row["applied"],
        failed=row["failed"],
        others=row["runs"] - row["applied"] - row["failed"],
        files=row["files"] or 0,
        chunks=row["chunks"] or 0,
        percent=_percent(row["runs"], most),
    )


def failures() -> tuple[list[IndexRun], int]:
    """The newest failed runs of the last 24 hours, and how many there are; two queries."""
    since = timezone.now() - timedelta(hours=24)
    failed = IndexRun.objects.filter(opened_at__gte=since, state__in=FAILED_STATES)
    newest = failed.select_related("repository__organization").order_by("-opened_at")
    return list(newest[:LISTED]), failed.count()


def last_applied() -> datetime | None:
    applied = IndexRun.objects.filter(state=RunState.APPLIED).order_by("-opened_at")
    return applied.values_list("ended_at", flat=True).first()


def largest_repositories() -> list[Repository]:
    repositories = Repository.objects.filter(retired_at=None, chunks__gt=0)
    return list(repositories.select_related("organization").order_by("-chunks", "pk")[:LISTED])


def embedders() -> list[tuple[str, int]]:
    """Embedder → how many repositories are indexed with it, most first."""
    indexed = Repository.objects.filter(retired_at=None).exclude(embedder="").order_by()
    counted = indexed.values("embedder").annotate(count=Count("pk")).order_by(F("count").desc())
    return [(row["embedder"], row["count"]) for row in counted]


def store_name() -> str:
    """Return the vector store's kind and host, without credentials."""
    address = urlsplit(settings.VECTOR_STORE_URL)
    if address.scheme == "edge":
        return "Qdrant Edge, in the service's process"
    if address.scheme.startswith("postgres"):
        return "PostgreSQL with pgvector"
    return f"{address.scheme.capitalize()} at {address.hostname or 'an unknown host'}"


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def front_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the figures that the user may see (UNFOLD's DASHBOARD_CALLBACK)."""
    if request.user.has_perm("repositories.view_repository"):
        context |= {
            "freshness": freshness(),
            "largest": largest_repositories(),
            "embedders": embedders(),
            "store": store_name(),
        }
    if request.user.has_perm("ingest.view_indexrun"):
        failed, failed_count = failures()
        context |= {
            "queue": queue(),
            "days": days(),
            "failed": failed,
            "failed_count": failed_count,
            "last_applied": last_applied(),
        }
    return context
