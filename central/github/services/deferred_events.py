"""Events that are applied at once, or deferred because a lock is taken or much is to be moved.

GitHub waits 10 seconds for an answer, but an apply locks its repository's row for minutes. Events
of an organisation are applied in order of arrival, under its lock. Pushes need neither: any order
is right for them.
"""

from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from psycopg.errors import LockNotAvailable

from central.github.events import Event, Ignored, Push, dump_event, load_event
from central.github.models import GitHubDelivery
from central.github.services.repositories import apply_event, takes_long
from central.tenancy.models import Organization

_LOCK_TIMEOUT = "2s"  # for each lock; a waiting process may hold the organisation's
_FOR_LOCK = "waiting: the index of the repository is being written"
_FOR_WORKER = "waiting: rows of a branch are moved or deleted"
_FOR_TURN = "waiting: so is a delivery that came before it"
_FAILED = "failed; the service's log has the reason"

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


def apply_or_defer(delivery: GitHubDelivery, event: Event) -> None:
    """Apply the event, or leave it to `apply_deferred`, and save the delivery's outcome.

    Needs the transaction in which the delivery was stored: its locks hold back later deliveries.
    """
    outcome, is_done = _attempt(delivery.organization, event)
    delivery.outcome = outcome
    delivery.waiting = None if is_done else dump_event(event)
    delivery.save(update_fields=["outcome", "waiting"])


def _attempt(organization: Organization, event: Event) -> tuple[str, bool]:
    """Return the outcome, and whether the event was applied."""
    if not isinstance(event, Push | Ignored):
        if not _has_lock(organization):
            return _FOR_LOCK, False
        if _waiting().filter(organization=organization).exists():
            return _FOR_TURN, False
        if takes_long(organization, event):
            return _FOR_WORKER, False
    outcome = _in_time(lambda: apply_event(organization=organization, event=event))
    return (_FOR_LOCK, False) if outcome is None else (outcome, True)


def apply_deferred() -> int:
    """Apply deferred events as far as their locks are free; return how many were applied.

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
    """Apply the organisation's first; return False if there is none or a lock is taken.

    Locks the organisation before it chooses: otherwise a second worker could take the second
    delivery while the first is being applied.
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
    """Apply the event; one that fails must not block later ones for ever."""
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
    """Return whether the organisation's row could be locked, until the transaction ends."""
    locked = Organization.objects.select_for_update(no_key=True).filter(pk=organization.pk)
    return bool(_in_time(lambda: list(locked.values_list("pk"))))


def _in_time(act: Callable[[], _T]) -> _T | None:
    """Return the result of `act`; None, with nothing changed, if a lock was not free in time."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
            return act()
    except OperationalError as exc:
        if isinstance(exc.__cause__, LockNotAvailable):
            return None
        raise
