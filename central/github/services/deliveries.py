"""Verified deliveries: their organisation, and each applied only once."""

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import IntegrityError, transaction

from central.errors import ForbiddenError
from central.github.events import Event, Removed, read_event
from central.github.models import GitHubDelivery
from central.github.services.deferred_events import apply_or_defer
from central.tenancy.models import Organization

_log = structlog.get_logger(__name__)


def deliver(
    *,
    organization: Organization | None,
    delivery_id: str,
    event: str,
    payload: Mapping[str, Any],
) -> str:
    """Apply the delivery and return its outcome; a repeated delivery returns the first outcome.

    Answers within seconds: an event that must wait for an apply is stored and applied later.

    `organization` is the one whose own secret signed it, None if the App's did. Raises InvalidError
    (`github_payload_invalid`), ForbiddenError (`owner_mismatch`); then nothing is stored.
    """
    read = read_event(event, payload)
    if organization is None:
        organization = _organization_of(read.owner_id)
        if organization is None:
            return "pong" if event == "ping" else "ignored: no organisation here has this owner"
    elif _is_arrival(organization, read):
        return "ignored: transferred to here; the repository's first run makes it known"
    elif event != "ping" or read.owner_id is not None:
        _require_owner(organization, read.owner_id)
    outcome = _deliver_once(organization, delivery_id, event, read)
    _log.info(
        "github_delivery",
        organization=organization.slug,
        github_event=event,
        delivery=delivery_id,
        outcome=outcome,
    )
    return outcome


def _organization_of(owner_id: int | None) -> Organization | None:
    if owner_id is None:
        return None
    return Organization.objects.filter(github_owner_id=owner_id).first()


def _is_arrival(organization: Organization, read: Event) -> bool:
    """Return whether it is a transfer to this owner, of which GitHub informs both owners."""
    return (
        isinstance(read, Removed)
        and read.new_owner_id is not None
        and read.new_owner_id == organization.github_owner_id
    )


def _require_owner(organization: Organization, owner_id: int | None) -> None:
    known = organization.github_owner_id
    if known is None or known != owner_id:
        raise ForbiddenError(
            f"The payload's owner on GitHub ({owner_id}) is not this organisation's "
            f"({known}); an administrator can set its GitHub owner id.",
            code="owner_mismatch",
        )


@transaction.atomic
def _deliver_once(organization: Organization, delivery_id: str, event: str, read: Event) -> str:
    """Apply it unless it is stored. Its row is the lock: a concurrent repetition waits."""
    try:
        with transaction.atomic():
            delivery = GitHubDelivery.objects.create(
                organization=organization, delivery_id=delivery_id, event=event
            )
    except IntegrityError:
        return GitHubDelivery.objects.get(
            organization=organization, delivery_id=delivery_id
        ).outcome
    apply_or_defer(delivery, read)
    return delivery.outcome
