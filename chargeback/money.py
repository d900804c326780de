"""Money: one currency with its minor unit, exact amounts as fractions, one rounding. Floats are refused everywhere.

Not here: which quantities are multiplied by which price (pricing/), and what a line is (ledger/).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from babel.numbers import format_currency, get_currency_precision, list_currencies

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Currency:
    """An ISO 4217 currency; `minor_units` is its number of decimals (EUR 2, JPY 0, KWD 3)."""

    code: str

    def __post_init__(self) -> None:
        if self.code not in list_currencies():
            raise ValueError(f"currency {self.code!r} is not an ISO 4217 code; write it as EUR, USD, JPY, ...")

    @property
    def minor_units(self) -> int:
        """Decimals of the minor unit."""
        return int(get_currency_precision(self.code))

    @property
    def smallest_amount(self) -> Decimal:
        """One minor unit: 0.01 for EUR."""
        return Decimal(1).scaleb(-self.minor_units)

    def round(self, exact: Fraction) -> Decimal:
        """Round once, half-even, to the minor unit, without an intermediate division to a finite precision.

        Source: design.md 5.6.
        """
        scaled = exact * 10**self.minor_units
        return Decimal(round(scaled)).scaleb(-self.minor_units)

    def format(self, amount: Decimal, *, locale: str = "en") -> str:
        """The amount as people of that locale write it, all minor units shown."""
        return str(format_currency(amount, self.code, locale=locale, currency_digits=True))


def fraction_of(price: Decimal) -> Fraction:
    """An exact fraction of a decimal. Raises TypeError for anything else: money never was a float."""
    if not isinstance(price, Decimal):
        raise TypeError(f"{price!r} is a {type(price).__name__}; money is Decimal")
    return Fraction(price)


def amount_of(gpu_seconds: Fraction, *, price_per_gpu_hour: Decimal, currency: Currency) -> Decimal:
    """What a quantity costs: exact until its single rounding to the currency's minor unit.

    Source: design.md 5.6.
    Raises: ValueError for a negative quantity or price; a credit is a line of its own kind.
    """
    return currency.round(exact_amount_of(gpu_seconds, price_per_gpu_hour=price_per_gpu_hour))


def exact_amount_of(gpu_seconds: Fraction, *, price_per_gpu_hour: Decimal) -> Fraction:
    """The unrounded cost of a quantity. Raises ValueError for a negative quantity or price."""
    if gpu_seconds < 0 or price_per_gpu_hour < 0:
        raise ValueError(f"cannot charge {gpu_seconds} GPU-seconds at {price_per_gpu_hour} per GPU-hour: negative")
    return gpu_seconds * fraction_of(price_per_gpu_hour) / SECONDS_PER_HOUR


def split_amount(amount: Decimal, *, weights: Mapping[str, Fraction], currency: Currency) -> dict[str, Decimal]:
    """Split a fixed amount by weights so that the parts add up to it exactly: largest remainder, ties by key.

    Only for amounts that are fixed from outside; statement lines are never split (design.md 5.6).
    Raises: ValueError without a positive weight, or for an amount finer than the minor unit.
    """
    total = sum(weights.values(), Fraction(0))
    if total <= 0 or min(weights.values()) < 0:
        raise ValueError(f"cannot split {amount} {currency.code}: the weights {dict(weights)} are not positive")
    units = fraction_of(amount) / fraction_of(currency.smallest_amount)
    if units.denominator != 1:
        raise ValueError(f"{amount} is finer than one minor unit of {currency.code}")
    exact = {key: units * weight / total for key, weight in weights.items()}
    floors = {key: share.numerator // share.denominator for key, share in exact.items()}
    left = int(units) - sum(floors.values())
    by_remainder = sorted(exact, key=lambda key: (floors[key] - exact[key], key))
    for key in by_remainder[:left]:
        floors[key] += 1
    return {key: floors[key] * currency.smallest_amount for key in weights}
