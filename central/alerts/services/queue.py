"""The messages that wait: claims with a lease, attempts with a back-off, and their ends."""

import json
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from central.alerts.delivery import Failure, post
from central.alerts.models import AlertDestination, RepositoryAlert
from central.alerts.services.detection import detect, overdue
from central.alerts.signing import open_address, signature_headers
from central.errors import ConflictError
from central.onboarding.models import ACTIVE, BackfillRepository, WorkState
from central.repositories.expectations import IS_EXPECTED
from central.repositories.models import Repository
from central.saved_searches.models import SavedSearch

WATCH_SWEEP_SECONDS: Final = 20.0  # of an organisation's looks, before its messages
ALERT_ATTEMPTS: Final = 12  # to deliver a message, in about five hours
ALERT_PAUSE_SECONDS: Final = 3_600  # at most, between two attempts
ALERT_INTERVAL_SECONDS: Final = 300  # between two messages of an organisation
_LEASE = timedelta(minutes=2)  # much longer than an attempt takes
_FIRST_PAUSE_SECONDS = 30
_NO_ANSWER = "It ended without an answer; the service's log has the reason."

_log = structlog.get_logger(__name__)


def send_alerts(*, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Detect problems of every organisation with a receiver and send what is due.

    Then look for what is new of watched searches, which the next call sends.

    Returns how many messages were delivered. Ends after SWEEP_SECONDS; the order is another one
    each time, so that slow receivers keep no organisation waiting for ever. What fails holds up no
    other one.
    """
    from central.saved_searches.services.watching import look_at_watched  # commands search nothing

    end = time.monotonic() + settings.SWEEP_SECONDS
    delivered = 0
    for organization_id in list(_organizations_to_visit().values_list("pk", flat=True)):
        if is_stopping() or time.monotonic() > end:
            break
        try:
            detect(organization_id)
            delivered += send_next(organization_id)
            look_at_watched(organization_id, until=min(end, time.monotonic() + WATCH_SWEEP_SECONDS))
        except Exception:  # noqa: BLE001 (one that fails blocks no other)
            _log.exception("alerts_failed", organization_id=organization_id)
    return delivered


def _organizations_to_visit() -> QuerySet[AlertDestination]:
    """Return receivers of organisations where something is wrong, or was, or a search is watched.

    In a random order. A kind of alert more needs its condition here.
    """
    working = AlertDestination.objects.filter(suspended_at=None, organization__retired_at=None)
    if not settings.SECRET_KEY_FALLBACKS:  # else every address may have to be encrypted again
        watched = Repository.objects.filter(IS_EXPECTED, retired_at=None, paused=False)
        troubled = watched.exclude(trouble="")
        failed = BackfillRepository.objects.filter(
            ACTIVE, state=WorkState.FAILED, repository__in=watched
        )
        working = working.filter(
            Q(message_id__isnull=False)
            | Q(pk__in=troubled.values("organization"))
            | Q(pk__in=failed.values("organization"))
            | Q(pk__in=overdue(timezone.now()).values("organization"))
            | Q(pk__in=RepositoryAlert.objects.values("organization"))
            | Q(pk__in=SavedSearch.objects.filter(is_watched=True).values("organization"))
        )
    return working.order_by("?")


def send_next(organization_id: int) -> bool:
    """Send the organisation's message if it is due; return whether it was delivered."""
    destination = _claim(organization_id)
    if destination is None:
        return False
    failure = send(destination, message_id=destination.message_id, message=destination.message)
    if failure:
        _fail(destination, failure)
    else:
        _finish(destination)
    return failure is None


def send(
    destination: AlertDestination, *, message_id: uuid.UUID | None, message: dict[str, object]
) -> Failure | None:
    """Sign a message as of now and post it once."""
    try:
        address = open_address(destination)
    except ConflictError as exc:
        return Failure(str(exc), is_final=True)
    body = json.dumps(message, ensure_ascii=False).encode()
    signed = signature_headers(
        destination, message_id=message_id or uuid.uuid4(), at=timezone.now(), body=body
    )
    headers = {
        **signed,
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "aeterna-code-search",
    }
    return post(address, headers=headers, body=body)


def _claim(organization_id: int) -> AlertDestination | None:
    """Claim the message. The attempt is counted before it is made: a crash counts, too."""
    now = timezone.now()
    due = AlertDestination.objects.filter(
        Q(lease_until=None) | Q(lease_until__lte=now),
        pk=organization_id,
        message_id__isnull=False,
        suspended_at=None,
        due_at__lte=now,
    )
    if due.filter(attempts__gte=ALERT_ATTEMPTS).update(suspended_at=now, error=_NO_ANSWER):
        return None
    claim = uuid.uuid4()
    if not due.update(claim=claim, lease_until=now + _LEASE, attempts=F("attempts") + 1):
        return None
    return AlertDestination.objects.select_related("organization").filter(claim=claim).first()


def _finish(destination: AlertDestination) -> None:
    """Forget the message; the next one is due after a pause, so that many become one."""
    now = timezone.now()
    _mine(destination).update(
        message_id=None,
        message={},
        attempts=0,
        error="",
        delivered_at=now,
        due_at=now + timedelta(seconds=ALERT_INTERVAL_SECONDS),
        claim=None,
        lease_until=None,
    )


def _fail(destination: AlertDestination, failure: Failure) -> None:
    """Try again later or, after the last attempt, wait for a test that succeeds."""
    now = timezone.now()
    is_last = failure.is_final or destination.attempts >= ALERT_ATTEMPTS
    pause = pause_seconds(destination.attempts)
    _mine(destination).update(
        error=failure.message[:300],
        due_at=now + timedelta(seconds=pause),
        suspended_at=now if is_last else None,
        claim=None,
        lease_until=None,
    )
    _log.warning(
        "alert_not_delivered",
        organization=destination.organization.slug,
        attempt=destination.attempts,
        is_last=is_last,
        error=failure.message,
    )


def pause_seconds(attempts: int) -> int:
    """Return the pause after a number of attempts that failed."""
    return int(min(_FIRST_PAUSE_SECONDS * 2 ** (attempts - 1), ALERT_PAUSE_SECONDS))


def _mine(destination: AlertDestination) -> QuerySet[AlertDestination]:
    return AlertDestination.objects.filter(pk=destination.pk, claim=destination.claim)
