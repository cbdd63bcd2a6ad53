"""Odds and ends of the payments service."""

from acme_common.money import format_money

from payments.models import Payment


def mask_card(card_token: str) -> str:
    """What may be shown of a card: its bank range and nothing of the rest."""
    return f"{card_token[5:11]}••••••"


def describe_payment(payment: Payment) -> str:
    """A payment in one line for logs and support tools."""
    return f"{payment.id} {format_money(payment.request.amount)} {mask_card(payment.request.card_token)}"
