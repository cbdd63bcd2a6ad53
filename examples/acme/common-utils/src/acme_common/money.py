"""Exact amounts of money in minor units (cents), never in floating point."""

from dataclasses import dataclass

_DECIMALS = {"EUR": 2, "USD": 2, "GBP": 2, "CHF": 2, "JPY": 0, "KWD": 3}
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}


class CurrencyMismatchError(ValueError):
    """Two amounts in different currencies were combined."""


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount in minor units of an ISO 4217 currency: Money(1999, "EUR") is 19.99 euros."""

    minor: int
    currency: str

    def __add__(self, other: "Money") -> "Money":
        self._require_same_currency(other)
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        self._require_same_currency(other)
        return Money(self.minor - other.minor, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.minor, self.currency)

    def allocate(self, weights: list[int]) -> list["Money"]:
        """Split in proportion to `weights` without losing a cent: the first shares take the rest."""
        total = sum(weights)
        if total <= 0:
            raise ValueError("weights must add up to more than zero")
        shares = [self.minor * weight // total for weight in weights]
        for index in range(self.minor - sum(shares)):
            shares[index] += 1
        return [Money(share, self.currency) for share in shares]

    def _require_same_currency(self, other: "Money") -> None:
        if self.currency != other.currency:
            raise CurrencyMismatchError(f"{self.currency} and {other.currency} do not add up")


def decimals_of(currency: str) -> int:
    """How many digits the currency has after the point; 2 where we know nothing better."""
    return _DECIMALS.get(currency, 2)


def format_money(amount: Money) -> str:
    """Show an amount to a person: `€1,234.50`, `-$3.00`, `¥500`, `CHF 10.00`."""
    digits = decimals_of(amount.currency)
    whole, fraction = divmod(abs(amount.minor), 10**digits)
    number = f"{whole:,}" + (f".{fraction:0{digits}d}" if digits else "")
    symbol = _SYMBOLS.get(amount.currency, f"{amount.currency} ")
    sign = "-" if amount.minor < 0 else ""
    return f"{sign}{symbol}{number}"


def parse_money(text: str, currency: str) -> Money:
    """Read a plain decimal such as `19.99`. Too many digits after the point is an error, not a rounding."""
    digits = decimals_of(currency)
    whole, _, fraction = text.strip().replace(",", "").partition(".")
    if len(fraction) > digits:
        raise ValueError(f"{currency} has {digits} digits after the point: {text!r}")
    negative = whole.startswith("-")
    minor = int(whole.lstrip("-") or "0") * 10**digits + int((fraction or "0").ljust(digits, "0"))
    return Money(-minor if negative else minor, currency)
