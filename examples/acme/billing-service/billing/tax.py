"""Value added tax by country."""

from dataclasses import dataclass
from fractions import Fraction

from acme_common.money import Money

HOME_COUNTRY = "DE"
_RATES = {"DE": 19, "FR": 20, "NL": 21, "IT": 22, "SE": 25, "CH": Fraction(81, 10), "GB": 20}
_EU = frozenset({"DE", "FR", "NL", "IT", "SE"})


class UnknownTaxRateError(LookupError):
    """We do not sell to this country yet, because nobody has entered its rate."""


@dataclass(frozen=True, slots=True)
class TaxProfile:
    """What taxes depend on. `vat_id` is set only after it was validated."""

    country: str
    vat_id: str = ""


def is_reverse_charge(profile: TaxProfile) -> bool:
    """Whether the customer owes the tax instead of us: a business in another EU country."""
    return bool(profile.vat_id) and profile.country in _EU and profile.country != HOME_COUNTRY


def tax_rate(profile: TaxProfile) -> Fraction:
    """The rate that applies, as a fraction of the net amount. Raises UnknownTaxRateError."""
    if is_reverse_charge(profile):
        return Fraction(0)
    if profile.country not in _RATES:
        raise UnknownTaxRateError(profile.country)
    return Fraction(_RATES[profile.country]) / 100


def tax_on(net: Money, profile: TaxProfile) -> Money:
    """The tax on a net amount, rounded half up to the minor unit."""
    exact = net.minor * tax_rate(profile)
    return Money(int(exact + Fraction(1, 2)) if exact >= 0 else -int(-exact + Fraction(1, 2)), net.currency)
