"""What happens when an invoice is not paid: reminders, another charge, suspension."""

import logging
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol

from acme_common import RetriesExhaustedError, RetryPolicy, retry_call

from billing.invoices import Invoice, InvoiceStatus
from billing.utils import days_between

logger = logging.getLogger(__name__)


class DunningStep(StrEnum):
    """The steps in the order in which they are taken."""

    NONE = "none"
    FRIENDLY_REMINDER = "friendly_reminder"
    SECOND_REMINDER = "second_reminder"
    FINAL_NOTICE = "final_notice"
    SUSPEND = "suspend"


_SCHEDULE = (
    (14, DunningStep.SUSPEND),
    (7, DunningStep.FINAL_NOTICE),
    (3, DunningStep.SECOND_REMINDER),
    (1, DunningStep.FRIENDLY_REMINDER),
)


class PaymentsClient(Protocol):
    """The client of payments-api."""

    def charge(self, customer_id: str, minor: int, currency: str, idempotency_key: str) -> str: ...


class Notifier(Protocol):
    """Puts a message on the queue of the notifications service."""

    def send(self, customer_id: str, template: str, fields: dict[str, str]) -> None: ...


def dunning_step(invoice: Invoice, today: date) -> DunningStep:
    """The step that is due today for an invoice, by how many days it is overdue."""
    if invoice.status is not InvoiceStatus.OPEN or invoice.due is None:
        return DunningStep.NONE
    overdue = days_between(invoice.due, today)
    return next((step for days, step in _SCHEDULE if overdue >= days), DunningStep.NONE)


@dataclass(slots=True)
class DunningRun:
    """The nightly pass over all open invoices."""

    payments: PaymentsClient
    notifier: Notifier

    def collect(self, invoice: Invoice, today: date) -> bool:
        """Try to charge an overdue invoice once more. Returns whether it is paid now."""
        key = f"{invoice.id}:{today.isoformat()}"  # a new day, a new charge: ADR-042 of payments-api
        try:
            status = retry_call(
                self.payments.charge,
                invoice.customer_id,
                invoice.total.minor,
                invoice.currency,
                key,
                policy=RetryPolicy(attempts=3, base_seconds=1),
            )
        except RetriesExhaustedError:
            logger.warning("payments-api is away; %s stays open until tomorrow", invoice.number)
            return False
        if status == "authorised":
            invoice.status = InvoiceStatus.PAID
        return invoice.status is InvoiceStatus.PAID

    def process(self, invoice: Invoice, today: date) -> DunningStep:
        """Charge again and, if that fails, remind the customer or have the subscription suspended."""
        step = dunning_step(invoice, today)
        if step is DunningStep.NONE or self.collect(invoice, today):
            return DunningStep.NONE
        self.notifier.send(invoice.customer_id, step.value, {"invoice": invoice.number})
        return step
