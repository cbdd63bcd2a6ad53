"""The queue of messages: whose organisation is visited, and how a message is sent."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Final

import structlog
from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from central.alerts.delivery import Failure, post
from central.alerts.models import AlertDestination, RepositoryAlert
from central.alerts.services.detection import detect, problems
from central.alerts.signing import open_address, signature_headers
from central.errors import ConflictError
from central.jobs import Claim, seconds_from_now
from central.saved_searches.models import SavedSearch

WATCH_SWEEP_SECONDS: Final = 20.0  # of an organisation's looks, before its messages
ALERT_ATTEMPTS: Final = 12  # to deliver a message, in about five hours
ALERT_PAUSE_SECONDS: Final = 3_600  # at most, between two attempts
ALERT_INTERVAL_SECONDS: Final = 300  # between two messages of an organisation

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
    """Return receivers with something to tell or to look at, in a random order."""
    working = AlertDestination.objects.filter(suspended_at=None, organization__retired_at=None)
    if not settings.SECRET_KEY_FALLBACKS:  # else every address may have to be encrypted again
        told = [problem.rows for problem in problems(timezone.now())]
        watched = SavedSearch.objects.filter(is_watched=True)
        is_concerned = Q(message_id__isnull=False)
        for rows in (*told, RepositoryAlert.objects.all(), watched):
            is_concerned |= Q(pk__in=rows.values("organization"))
        working = working.filter(is_concerned)
    return working.order_by("?")


class AlertClaim(Claim[AlertDestination]):
    """The claim on the message of an organisation. A crash counts as an attempt, too."""

    model = AlertDestination
    waiting = running = Q(message_id__isnull=False, suspended_at=None)
    related = ("organization",)
    has_due_at = True
    lease = 120  # much longer than an attempt takes
    attempts = ALERT_ATTEMPTS
    error_characters = 300  # its column holds no more
    longest_pause_seconds = ALERT_PAUSE_SECONDS
    no_answer = "It ended without an answer; the service's log has the reason."

    def fail(self, error: str) -> None:
        """Let the message wait for a test that succeeds."""
        self.end(suspended_at=Now(), **self.reason(error))

    def finish(self) -> None:
        """Forget the message; the next one is due after a pause, so that many become one."""
        self.end(
            message_id=None,
            message={},
            attempts=0,
            error="",
            delivered_at=Now(),
            due_at=seconds_from_now(ALERT_INTERVAL_SECONDS),
        )


def send_next(organization_id: int) -> bool:
    """Send the organisation's message if it is due; return whether it was delivered."""
    claim = AlertClaim.take(AlertClaim.claimable().filter(pk=organization_id))
    if claim is None:
        return False
    destination = claim.row
    failure = send(destination, message_id=destination.message_id, message=destination.message)
    if failure is None:
        claim.finish()
        return True
    is_last = failure.is_final or claim.is_last
    (claim.fail if is_last else claim.retry)(failure.message)
    _log.warning(
        "alert_not_delivered",
        organization=destination.organization.slug,
        attempt=destination.attempts,
        is_last=is_last,
        error=failure.message,
    )
    return False


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
