"""One price as a rate card states it.

Not here: reading it (card_prices.py), how many hours the billing month has (prices_of_month.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

from chargeback.money import fraction_of

PRICE_SCALE = 12
"""Decimals that a price keeps at most."""

HOURS_OF_MONTH_730 = 730


@dataclass(frozen=True, slots=True)
class StatedPrice:
    """One price as the card states it.

    `accelerator` is `accelerator:profile` for a slice. With a `billing_weight` the price is that of the whole GPU and
    one slice counts as that many GPUs. With a `discount` the card states that part of the standard price as given away,
    and `price` is what is left, rounded to the card's rate_scale. `why`: the card's reason for an unusual price.
    """

    accelerator: str
    tier: str
    price: Decimal
    unit: str
    billing_weight: Fraction | None = None
    discount: Fraction | None = None
    why: str = ""

    @property
    def per_hour_of_730(self) -> Fraction:
        """The price per hour with a month of 730 hours: to compare prices, never to charge."""
        return Fraction(self.price) / (HOURS_OF_MONTH_730 if self.unit.startswith("month") else 1)


def hourly_price(stated: StatedPrice, *, hours_in_month: Fraction) -> Decimal:
    """The stated price per hour, at most 12 decimals, rounded half-even only where the division does not terminate."""
    hours = {"month": hours_in_month, "month_730": Fraction(HOURS_OF_MONTH_730)}.get(stated.unit, Fraction(1))
    exact = fraction_of(stated.price) / hours
    with localcontext(prec=60, rounding=ROUND_HALF_EVEN):
        return Decimal(round(exact * 10**PRICE_SCALE)).scaleb(-PRICE_SCALE)


def billing_weights(prices: Sequence[StatedPrice]) -> dict[str, Fraction]:
    """`accelerator:profile` -> its billing weight, of the slices that have one."""
    return {price.accelerator: price.billing_weight for price in prices if price.billing_weight is not None}
