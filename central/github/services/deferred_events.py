"""Carrying events out without keeping GitHub waiting: what must wait for a lock is done later.

An apply keeps its repository's row until it is committed, which takes minutes; GitHub waits 10
seconds. Events of an organisation are carried out in order of arrival, under its lock, but for
pushes, which any order is right for.
"""

from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from psycopg.errors import LockNotAvailable

from central.github.events import Event, Ignored, Push, dump_event, load_event
from central.github.models import GitHubDelivery
from central.github.services.repositories import apply_event
from central.tenancy.models import Organization

_LOCK_TIMEOUT = "2s"  # for each lock, and who waits for one may hold the organisation's
_FOR_LOCK = "waiting: the index of the repository is being written"
_FOR_TURN = "waiting: so is a delivery that came before it"
_FAILED = "failed; the service's log has the reason"

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


def apply_or_defer(delivery: GitHubDelivery, event: Event) -> None:
    """Carry the event out, or leave it to `apply_deferred`; says so in the stored delivery.

    Needs the transaction in which the delivery was stored: its locks hold the later ones back.
    """
    outcome, is_done = _attempt(delivery.organization, event)
    delivery.outcome = outcome
    delivery.waiting = None if is_done else dump_event(event)
    delivery.save(update_fields=["outcome", "waiting"])


def _attempt(organization: Organization, event: Event) -> tuple[str, bool]:
    """The outcome, and whether the event was carried out."""
    if not isinstance(event, Push | Ignored):
        if not _has_lock(organization):
            return _FOR_LOCK, False
        if _waiting().filter(organization=organization).exists():
            return _FOR_TURN, False
    outcome = _in_time(lambda: apply_event(organization=organization, event=event))
    return (_FOR_LOCK, False) if outcome is None else (outcome, True)


def apply_deferred() -> int:
    """Carry out what waits, as far as the locks are to be had; returns how many it was.

    Must not be called in a transaction: each delivery has its own.
    """
    organizations = _waiting().order_by("organization").values_list("organization", flat=True)
    count = 0
    for organization_id in list(organizations.distinct()):
        while _apply_first(organization_id):
            count += 1
    return count


@transaction.atomic
def _apply_first(organization_id: int) -> bool:
    """Carry out the organisation's first; false if there is none, or a lock is not to be had.

    The organisation's lock comes before the choice: of two who sweep, one would take the second
    while the other has the first.
    """
    organization = Organization(pk=organization_id)
    if not _has_lock(organization):
        return False
    delivery = _waiting().filter(organization=organization).select_related("organization").first()
    if delivery is None:
        return False
    outcome = _in_time(lambda: _late_outcome(delivery))
    if outcome is None:
        return False
    delivery.outcome, delivery.waiting = outcome, None
    delivery.save(update_fields=["outcome", "waiting"])
    _log.info(
        "github_delivery_carried_out",
        organization=delivery.organization.slug,
        delivery=delivery.delivery_id,
        outcome=outcome,
    )
    return True


def _late_outcome(delivery: GitHubDelivery) -> str:
    """What cannot be carried out must not hold up those that came after it for ever."""
    try:
        with transaction.atomic():
            event = load_event(delivery.waiting or {})
            return apply_event(organization=delivery.organization, event=event)
    except OperationalError:
        raise
    except Exception:  # noqa: BLE001 (whatever it is, the next one has its turn)
        _log.exception("github_delivery_failed", delivery=delivery.delivery_id)
        return _FAILED


def _waiting() -> QuerySet[GitHubDelivery]:
    return GitHubDelivery.objects.filter(waiting__isnull=False).order_by("pk")


def _has_lock(organization: Organization) -> bool:
    """Whether the organisation's row could be locked, until the transaction ends."""
    locked = Organization.objects.select_for_update(no_key=True).filter(pk=organization.pk)
    return bool(_in_time(lambda: list(locked.values_list("pk"))))


def _in_time(act: Callable[[], _T]) -> _T | None:
    """What `act` returns; None, and nothing has changed, if a lock was not to be had in time."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
            return act()
    except OperationalError as exc:
        if isinstance(exc.__cause__, LockNotAvailable):
            return None
        raise
