"""What is wrong with an organisation's repositories, compared with what its receiver knows."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from central.alerts.messages import alert_body, searches_body
from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.alerts.signing import is_sealed_by_former_key, open_address, seal
from central.onboarding.models import ACTIVE, BackfillRepository, WorkState
from central.repositories.expectations import IS_EXPECTED, without_index
from central.repositories.models import IndexedBy, IndexProblem, Repository
from central.repositories.services import where_to_look
from central.repositories.states import FAILURES
from central.saved_searches.models import SavedSearch

ALERT_WITHOUT_INDEX_HOURS: Final = 24  # that a new repository may wait for its first index
_CONDITIONS: Final = {
    IndexProblem.FAILED: Condition.FAILED,
    IndexProblem.BEHIND: Condition.BEHIND,
    IndexProblem.NOT_CLONED: Condition.NOT_CLONED,
}
_Key = tuple[int, str]  # a repository and a condition


@transaction.atomic
def detect(organization_id: int) -> None:
    """Note what began and ended, and store a message about it if it is time for one.

    One process at a time: another one's lock is not waited for.
    """
    destination = (
        AlertDestination.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("organization")
        .annotate(now=Now())
        .filter(pk=organization_id, suspended_at=None, organization__retired_at=None)
        .first()
    )
    if destination is None:
        return
    if is_sealed_by_former_key(destination):
        destination.sealed_address = seal(open_address(destination))
        destination.save(update_fields=["sealed_address"])
    now = destination.now
    _compare(destination, now)
    if destination.message_id is None and destination.due_at <= now:
        _store_message(destination, now)
    if destination.message_id is None and destination.due_at <= now:
        _store_message_of_searches(destination, now)


def _compare(destination: AlertDestination, now: datetime) -> None:
    """Bring the rows to what is wrong now."""
    wrong = dict(
        problem.told(row)
        for problem in problems(now)
        for row in problem.rows.filter(organization=destination.organization_id)
    )
    known = {
        (alert.repository_id, alert.condition): alert
        for alert in RepositoryAlert.objects.filter(organization=destination.organization_id)
    }
    RepositoryAlert.objects.bulk_create(
        RepositoryAlert(
            organization_id=destination.organization_id,
            repository_id=key[0],
            condition=key[1],
            detail=wrong[key],
            since=now,
        )
        for key in wrong.keys() - known.keys()
    )
    alerts = RepositoryAlert.objects
    again = [alert.pk for key, alert in known.items() if key in wrong and alert.ended_at]
    over = [alert.pk for key, alert in known.items() if key not in wrong]
    alerts.filter(pk__in=again).update(ended_at=None)
    for key, alert in known.items():
        if alert.reported_at is None and wrong.get(key, alert.detail) != alert.detail:
            alerts.filter(pk=alert.pk).update(detail=wrong[key])
    ended = alerts.filter(pk__in=over)
    ended.filter(reported_at=None).delete()  # it was never reported
    ended.exclude(repository__in=_watched()).delete()  # paused, gone, unexpected: no recovery
    ended.filter(ended_at=None).update(ended_at=now)


class Problem(NamedTuple):
    """Something that is reported: the rows of all organisations that have it, and what each says.

    `told` returns the repository and the condition, and the error.
    """

    rows: QuerySet[Any]
    told: Callable[[Any], tuple[_Key, str]]


def problems(now: datetime) -> list[Problem]:
    """Return all problems that are reported; they also decide which organisations are visited."""
    failed_clones = BackfillRepository.objects.filter(
        ACTIVE,
        repository__in=_watched().filter(indexed_by=IndexedBy.CENTRAL),
        state=WorkState.FAILED,
    )
    return [
        Problem(_watched().exclude(trouble=""), _in_trouble),
        Problem(_overdue(now), _without_index),
        Problem(failed_clones, _not_cloned),
    ]


def _watched() -> QuerySet[Repository]:
    return Repository.objects.filter(IS_EXPECTED, retired_at=None, paused=False)


def _in_trouble(row: Repository) -> tuple[_Key, str]:
    return (row.pk, _CONDITIONS[IndexProblem(row.trouble)].value), row.trouble_detail


def _without_index(row: Repository) -> tuple[_Key, str]:
    why = f"It was announced at {row.created_at:%Y-%m-%d %H:%M} UTC. {where_to_look(row)}"
    return (row.pk, Condition.UNINDEXED.value), why


def _not_cloned(row: BackfillRepository) -> tuple[_Key, str]:
    return (row.repository_id or 0, Condition.NOT_CLONED.value), row.error


def _overdue(now: datetime) -> QuerySet[Repository]:
    """Return repositories that should have had an index for a day, and of which nothing failed."""
    since = now - timedelta(hours=ALERT_WITHOUT_INDEX_HOURS)
    return without_index(_watched()).exclude(Q(trouble__in=FAILURES) | Q(created_at__gt=since))


def _store_message(destination: AlertDestination, now: datetime) -> None:
    """Store a message and note all that it reports as reported: it is sent until it arrives."""
    rows = RepositoryAlert.objects.filter(organization=destination.organization_id)
    rows = rows.select_related("repository", "organization")
    unreported = rows.filter(reported_at=None, ended_at=None)
    # A cancelled run is followed by the next: what is behind counts after the time of a push.
    behind_since = now - timedelta(minutes=settings.BEHIND_MINUTES)
    begun = list(unreported.exclude(condition=Condition.BEHIND, since__gt=behind_since))
    ended = list(rows.filter(ended_at__isnull=False))
    if not begun and not ended:
        return
    message_id = uuid.uuid4()
    body = alert_body(
        destination.organization.slug, message_id=message_id, at=now, begun=begun, ended=ended
    )
    _put(destination, message_id, body, now)
    rows.filter(pk__in=[alert.pk for alert in begun]).update(reported_at=now)
    RepositoryAlert.objects.filter(pk__in=[alert.pk for alert in ended]).delete()


def _store_message_of_searches(destination: AlertDestination, now: datetime) -> None:
    """Store a message about new lines of watched searches, and count on from zero."""
    rows = SavedSearch.objects.filter(organization=destination.organization_id, found__gt=0)
    found = list(rows.select_for_update(of=("self",)).order_by("found_since", "pk"))
    if not found:
        return
    message_id = uuid.uuid4()
    body = searches_body(destination.organization.slug, message_id=message_id, at=now, found=found)
    _put(destination, message_id, body, now)
    SavedSearch.objects.filter(pk__in=[search.pk for search in found]).update(
        found=0, found_since=None
    )


def _put(
    destination: AlertDestination, message_id: uuid.UUID, body: dict[str, Any], now: datetime
) -> None:
    destination.message_id, destination.attempts, destination.due_at = message_id, 0, now
    destination.message = body
    destination.save(update_fields=["message_id", "message", "attempts", "due_at"])
