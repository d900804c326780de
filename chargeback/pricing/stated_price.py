"""One price as a rate card states it.

Not here: reading it (card_prices.py), how many hours its unit has in a month (prices_of_month.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

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


def billing_weights(prices: Sequence[StatedPrice]) -> dict[str, Fraction]:
    """`accelerator:profile` -> its billing weight, of the slices that have one."""
    return {price.accelerator: price.billing_weight for price in prices if price.billing_weight is not None}
