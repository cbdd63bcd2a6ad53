"""Invoices: collected as drafts, numbered and frozen when finalised."""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from acme_auth import require_permission
from acme_auth.tokens import TokenClaims
from acme_common import Money, new_id

from billing.numbering import NumberSequence
from billing.tax import TaxProfile, tax_on


class InvoiceStatus(StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    PAID = "paid"
    VOID = "void"


class InvoiceFrozenError(Exception):
    """A finalised invoice was about to be changed."""


@dataclass(frozen=True, slots=True)
class LineItem:
    """One line of an invoice. A negative amount is a credit."""

    description: str
    amount: Money


@dataclass(slots=True)
class Invoice:
    """What a customer owes for a period."""

    customer_id: str
    currency: str
    tax_profile: TaxProfile
    id: str = field(default_factory=lambda: new_id("inv"))
    lines: list[LineItem] = field(default_factory=list)
    status: InvoiceStatus = InvoiceStatus.DRAFT
    number: str = ""
    due: date | None = None

    def add_line(self, item: LineItem) -> None:
        """Add to a draft. Raises InvoiceFrozenError after it was finalised."""
        if self.status is not InvoiceStatus.DRAFT:
            raise InvoiceFrozenError(self.number)
        self.lines.append(item)

    @property
    def subtotal(self) -> Money:
        """The sum of the lines, before tax."""
        return sum((line.amount for line in self.lines), Money(0, self.currency))

    @property
    def total(self) -> Money:
        """What has to be paid, tax included."""
        return self.subtotal + tax_on(self.subtotal, self.tax_profile)


def finalise_invoice(invoice: Invoice, numbers: NumberSequence, due: date) -> Invoice:
    """Give a draft its legal number and freeze it. An invoice of zero is paid at once."""
    if invoice.status is not InvoiceStatus.DRAFT:
        raise InvoiceFrozenError(invoice.number)
    invoice.number = numbers.next()
    invoice.due = due
    invoice.status = InvoiceStatus.OPEN if invoice.total.minor > 0 else InvoiceStatus.PAID
    return invoice


@require_permission("invoices:void")
def void_invoice(claims: TokenClaims, invoice: Invoice) -> Invoice:
    """Cancel an open invoice. It keeps its number, because auditors ask for every one."""
    if invoice.status is not InvoiceStatus.OPEN:
        raise InvoiceFrozenError(f"{invoice.number} is {invoice.status}")
    invoice.status = InvoiceStatus.VOID
    return invoice


def credit_note(invoice: Invoice, amount: Money, reason: str) -> Invoice:
    """A new draft that takes back part of a finalised invoice."""
    note = Invoice(invoice.customer_id, invoice.currency, invoice.tax_profile)
    note.add_line(LineItem(f"Credit for {invoice.number}: {reason}", -amount))
    return note
