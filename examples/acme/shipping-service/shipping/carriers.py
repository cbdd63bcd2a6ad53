"""Buying labels from carriers."""

from dataclasses import dataclass
from typing import Protocol

import acme_common.retry as retrying


class NoCarrierError(Exception):
    """Nobody delivers this parcel to this country."""


@dataclass(frozen=True, slots=True)
class Parcel:
    order_id: str
    country: str
    grams: int


class Carrier(Protocol):
    name: str

    def quote(self, parcel: Parcel) -> int | None:
        """The price in cents, or None when the carrier does not take the parcel."""
        ...

    def buy_label(self, parcel: Parcel) -> str: ...


def cheapest_carrier(parcel: Parcel, carriers: list[Carrier]) -> Carrier:
    """The carrier with the lowest quote. One that does not answer is left out, not waited for."""
    quotes = []
    for carrier in carriers:
        try:
            quotes.append((carrier.quote(parcel), carrier))
        except (ConnectionError, TimeoutError):
            continue
    offers = [(price, carrier) for price, carrier in quotes if price is not None]
    if not offers:
        raise NoCarrierError(parcel.country)
    return min(offers, key=lambda offer: offer[0])[1]


def ship(parcel: Parcel, carriers: list[Carrier]) -> str:
    """Buy a label and return its tracking number."""
    return retrying.retry_call(cheapest_carrier(parcel, carriers).buy_label, parcel)
