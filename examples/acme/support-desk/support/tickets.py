"""Tickets, who takes them, and how soon they must be answered."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from acme_auth.permissions import require_permission
from acme_auth.tokens import TokenClaims
from acme_common import retry_call

_ANSWER_WITHIN = {"urgent": timedelta(hours=1), "normal": timedelta(hours=8), "low": timedelta(days=2)}


@dataclass(slots=True)
class Ticket:
    id: int
    customer_id: str
    priority: str
    opened_at: datetime
    assignee: str = ""


def is_overdue(ticket: Ticket, now: datetime) -> bool:
    """Whether the promised time for an answer has passed."""
    return now > ticket.opened_at + _ANSWER_WITHIN[ticket.priority]


def assign(ticket: Ticket, load: dict[str, int]) -> str:
    """Give the ticket to the colleague with the fewest open ones."""
    ticket.assignee = min(sorted(load), key=lambda name: load[name])
    load[ticket.assignee] += 1
    return ticket.assignee


@require_permission("users:read")
def customer_profile(claims: TokenClaims, ticket: Ticket, fetch: Callable[[str], dict[str, str]]) -> dict[str, str]:
    """What the colleague sees beside the ticket, from the customer database."""
    return retry_call(fetch, ticket.customer_id)
