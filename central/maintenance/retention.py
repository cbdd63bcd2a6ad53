"""Retention: deletion of used credentials, old deliveries, old runs and unused questions."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction

from central.corpus.commits import delete_old_commits
from central.corpus.scip import delete_unused_symbols
from central.db import fetch_rows, sql_with
from central.github.models import GitHubDelivery, IdTokenUse
from central.ingest.models import Batch, Delivery, IndexRun
from central.repositories.states import LIVE_RUN_STATES
from central.tenancy.models import ApiToken, Invitation
from central.trace.stored.follower import delete_unused_questions

_TOKEN_DAYS = 1  # after its expiry: until then it is refused as expired, not as unknown
_INVITATION_DAYS = 90  # after its end, accepted or not: the audit log has it
_DELIVERY_DAYS = 180
_KEPT_RUNS = 20  # of every repository, however old
_ROWS = 1000  # a transaction

_sql = sql_with(run=IndexRun)
_OLD_RUNS = _sql("""SELECT id FROM (
        SELECT id, state, ended_at,
            row_number() OVER (PARTITION BY repository_id ORDER BY opened_at DESC) AS place
        FROM {run}) run
    WHERE place > %s AND ended_at < %s AND NOT state = ANY(%s) LIMIT %s""")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """The numbers of deleted rows."""

    tokens: int
    invitations: int
    id_tokens: int
    deliveries: int
    sessions: int
    runs: int
    questions: int
    symbols: int
    commits: int


def apply_retention(*, now: datetime) -> RetentionResult:
    """Delete expired rows; runs after RUN_RETENTION_DAYS, except each repository's last.

    Of commits, those that HISTORY_COMMITS and HISTORY_DAYS keep no longer.
    """
    result = RetentionResult(
        tokens=_delete_tokens(now - timedelta(days=_TOKEN_DAYS)),
        invitations=Invitation.objects.filter(
            expires_at__lt=now - timedelta(days=_INVITATION_DAYS)
        ).delete()[0],
        id_tokens=IdTokenUse.objects.filter(forget_at__lt=now).delete()[0],
        deliveries=GitHubDelivery.objects.filter(
            received_at__lt=now - timedelta(days=_DELIVERY_DAYS), waiting__isnull=True
        ).delete()[0],
        sessions=Session.objects.filter(expire_date__lt=now).delete()[0],
        runs=_delete_runs(now - timedelta(days=settings.RUN_RETENTION_DAYS)),
        questions=delete_unused_questions(),
        symbols=delete_unused_symbols(),
        commits=delete_old_commits(
            older_than=now - timedelta(days=settings.HISTORY_DAYS)
            if settings.HISTORY_DAYS
            else None
        ),
    )
    _log.info("retention_applied", **asdict(result))
    return result


def _delete_tokens(expired_before: datetime) -> int:
    expired = ApiToken.objects.filter(is_short_lived=True, expires_at__lt=expired_before)
    count = 0
    while keys := list(expired.values_list("pk", flat=True)[:_ROWS]):
        ApiToken.objects.filter(pk__in=keys).delete()  # their runs stay, and name no token
        count += len(keys)
    return count


def _delete_runs(ended_before: datetime) -> int:
    """Delete runs with their dependent rows; the last of each repository stay."""
    count = 0
    live = [state.value for state in LIVE_RUN_STATES]
    while rows := fetch_rows(_OLD_RUNS, [_KEPT_RUNS, ended_before, live, _ROWS]):
        keys = [key for (key,) in rows]
        with transaction.atomic():
            for model in (Batch, Delivery):
                model.objects.filter(run__in=keys).delete()
            IndexRun.objects.filter(pk__in=keys).delete()
        count += len(keys)
    return count
