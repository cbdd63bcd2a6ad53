"""Invoice numbers without gaps, as tax law asks for."""

from threading import Lock


class NumberSequence:
    """Hands out `2026-000001`, `2026-000002`, … Each number once, none left out."""

    def __init__(self, year: int, last: int = 0) -> None:
        self._year = year
        self._last = last
        self._lock = Lock()

    def next(self) -> str:
        """The next number. The caller must store the invoice, or the sequence has a hole."""
        with self._lock:
            self._last += 1
            return f"{self._year}-{self._last:06d}"
