"""Reserving goods for orders, so that nothing is sold twice."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from acme_common.clock import Clock

HOLD = timedelta(minutes=30)


@dataclass(slots=True)
class _Reservation:
    lines: dict[str, int]
    expires_at: datetime


@dataclass(slots=True)
class Stock:
    """Quantities on the shelf and what of them is promised. A reservation lapses after half an hour."""

    clock: Clock
    on_hand: dict[str, int]
    _reserved: dict[str, _Reservation] = field(default_factory=dict)

    def available(self, sku: str) -> int:
        """What can still be sold."""
        self._drop_expired()
        promised = sum(r.lines.get(sku, 0) for r in self._reserved.values())
        return self.on_hand.get(sku, 0) - promised

    def reserve(self, order_id: str, lines: dict[str, int]) -> bool:
        """Promise all of the lines or none. The same order again is the same reservation."""
        if order_id in self._reserved:
            return True
        if any(self.available(sku) < quantity for sku, quantity in lines.items()):
            return False
        self._reserved[order_id] = _Reservation(dict(lines), self.clock.now() + HOLD)
        return True

    def release(self, order_id: str) -> None:
        """Put the goods back on sale."""
        self._reserved.pop(order_id, None)

    def _drop_expired(self) -> None:
        now = self.clock.now()
        self._reserved = {o: r for o, r in self._reserved.items() if r.expires_at > now}
