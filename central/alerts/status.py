"""The state of an organisation's alerts: one answer for the API, the command and pages."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

from central.alerts.delivery import parse_address, shown_address
from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.alerts.signing import open_address
from central.errors import ServiceError
from central.tenancy.models import Organization

ALERT_ROWS: Final = 200  # alerts of one answer


class ReceiverState(StrEnum):
    """Whether problems are reported to the receiver."""

    WORKING = "working"
    RETRYING = "retrying"  # a message was not delivered and is sent again
    SUSPENDED = "suspended"  # nothing is sent until a test succeeds


@dataclass(frozen=True, slots=True)
class AlertReceiver:
    """Where alerts go."""

    address: Annotated[str, "Its host; the rest lets everyone post there and is not shown"]
    state: Annotated[str, ReceiverState]
    error: Annotated[str | None, "Why the last message was not delivered"]
    delivered_at: Annotated[datetime | None, "The last message that was delivered"]


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """Something that is wrong with a repository."""

    project: str
    condition: Annotated[str, Condition]
    since: datetime
    detail: str
    reported_at: Annotated[datetime | None, "null: not reported yet"]


@dataclass(frozen=True, slots=True)
class AlertStatus:
    """The receiver of an organisation's alerts, and what is wrong, oldest first."""

    org_id: str
    destination: AlertReceiver | None
    count: int
    alerts: Annotated[list[OpenAlert], f"The first {ALERT_ROWS}; empty without a receiver"]


def alert_status(organization: Organization) -> AlertStatus:
    """Return the state of an organisation's alerts."""
    found = AlertDestination.objects.filter(organization=organization).first()
    rows = RepositoryAlert.objects.filter(organization=organization, ended_at=None)
    return AlertStatus(
        org_id=organization.slug,
        destination=_destination(found) if found else None,
        count=rows.count(),
        alerts=[
            OpenAlert(
                project=row.repository.name,
                condition=row.condition,
                since=row.since,
                detail=row.detail,
                reported_at=row.reported_at,
            )
            for row in rows.select_related("repository")[:ALERT_ROWS]
        ],
    )


def _destination(row: AlertDestination) -> AlertReceiver:
    state = ReceiverState.WORKING
    if row.suspended_at:
        state = ReceiverState.SUSPENDED
    elif row.error:
        state = ReceiverState.RETRYING
    try:
        address, error = shown_address(parse_address(open_address(row))), row.error
    except ServiceError as exc:
        address, error = "", str(exc)
    return AlertReceiver(
        address=address, state=state.value, error=error or None, delivered_at=row.delivered_at
    )
