"""The receiver of an organisation's alerts: set, tested and removed by its administrators."""

import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from central.alerts.delivery import Failure, checked_ips, parse_address, shown_address
from central.alerts.messages import trial_body
from central.alerts.models import AlertDestination, RepositoryAlert
from central.alerts.services.queue import send
from central.alerts.signing import open_address, seal
from central.errors import (
    ConflictError,
    InvalidError,
    NotFoundError,
    ThrottledError,
    UnavailableError,
)
from central.tenancy.audit import record
from central.tenancy.models import Organization

ALERT_TEST_SECONDS: Final = 10  # between two tests of a destination


def find_destination(organization: Organization) -> AlertDestination:
    """Return the receiver. Raises NotFoundError (`alert_destination_not_found`)."""
    found = AlertDestination.objects.filter(organization=organization).first()
    if found is None:
        raise NotFoundError(
            "The organisation has no receiver of alerts; set its address first.",
            code="alert_destination_not_found",
        )
    return found


def set_destination(
    *, organization: Organization, address: str, actor: str, new_secret: bool = False
) -> AlertDestination:
    """Send alerts to `address` from now on; what is wrong already is reported to a new one.

    `new_secret` replaces the secret that signs. Raises InvalidError (`alert_address_refused`).
    """
    url = parse_address(address)
    try:
        checked_ips(url)
    except UnavailableError as exc:
        raise InvalidError(str(exc), code="alert_address_refused") from exc
    with transaction.atomic():
        destination, is_new = AlertDestination.objects.select_for_update().get_or_create(
            organization=organization,
            defaults={"sealed_address": seal(address), "due_at": Now()},
        )
        if not is_new and not _is_at(destination, address):
            _start_over(destination, address)
        if new_secret and not is_new:
            destination.secret_version += 1
        _resume(destination)
        destination.save()
        record(
            actor=actor,
            action="alerts.destination_set",
            target=shown_address(url),
            organization=organization,
            detail={"new_secret": new_secret},
        )
    return destination


def remove_destination(*, organization: Organization, actor: str) -> None:
    """Send nothing more and forget what was reported. Raises NotFoundError."""
    with transaction.atomic():
        find_destination(organization).delete()
        RepositoryAlert.objects.filter(organization=organization).delete()
        record(
            actor=actor,
            action="alerts.destination_removed",
            target=f"alerts of {organization.slug}",
            organization=organization,
        )


def send_test(*, organization: Organization) -> Failure | None:
    """Post a test now; None if it was delivered. A suspended receiver then gets what waits.

    Not in a transaction. Raises NotFoundError, ThrottledError.
    """
    destination = find_destination(organization)
    now = timezone.now()
    before = now - timedelta(seconds=ALERT_TEST_SECONDS)
    is_due = Q(tested_at=None) | Q(tested_at__lte=before)
    rows = AlertDestination.objects.filter(pk=destination.pk)
    if not rows.filter(is_due).update(tested_at=now):
        raise ThrottledError(
            f"A test was sent moments ago; wait {ALERT_TEST_SECONDS} seconds.",
            retry_after=ALERT_TEST_SECONDS,
        )
    message_id = uuid.uuid4()
    body = trial_body(organization.slug, message_id=message_id, at=now)
    failure = send(destination, message_id=message_id, message=body)
    if failure is None:
        same = rows.filter(sealed_address=destination.sealed_address)
        same.filter(suspended_at__isnull=False).update(
            suspended_at=None, attempts=0, due_at=Now(), error=""
        )
        same.update(delivered_at=timezone.now())
    return failure


def _is_at(destination: AlertDestination, address: str) -> bool:
    with suppress(ConflictError):
        return open_address(destination) == address
    return False


def _start_over(destination: AlertDestination, address: str) -> None:
    """A new receiver knows nothing: what is wrong is reported again, to it."""
    destination.sealed_address = seal(address)
    destination.message_id, destination.message = None, {}
    destination.claim = destination.lease_until = destination.delivered_at = None
    RepositoryAlert.objects.filter(organization=destination.organization_id).delete()


def _resume(destination: AlertDestination) -> None:
    destination.suspended_at, destination.error = None, ""
    destination.attempts, destination.due_at = 0, Now()
