"""What statement lines brought in of an accelerator's cost pool, and what stands between that and the standard rate.

A slice counts with its GPU. Not here: the pool, and what is missing of it (recovery.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS, UNATTRIBUTED
from chargeback.money import SECONDS_PER_HOUR, fraction_of

STANDARD = "standard"


@dataclass(frozen=True, slots=True)
class Recovered:
    """Sums of an accelerator's lines.

    charged less credits is what is recovered; both are sums of rounded amounts. at_standard is what the same hours cost
    at the standard price, unrounded: at_standard = charged + discounts + rounding.
    """

    charged: Decimal = Decimal(0)
    credits: Decimal = Decimal(0)
    suspense: Decimal = Decimal(0)
    at_standard: Fraction = Fraction(0)
    discounts: Fraction = Fraction(0)
    rounding: Fraction = Fraction(0)
    gpu_hours: Fraction = Fraction(0)
    standard_price: Decimal | None = None

    @property
    def net(self) -> Decimal:
        """What was recovered."""
        return self.charged - self.credits

    def sold_hours(self) -> Fraction:
        """What was charged, as GPU-hours at the standard price; without one, or of a free one, the hours held."""
        return self.at_standard / fraction_of(self.standard_price) if self.standard_price else self.gpu_hours


def whole_gpu(accelerator: str) -> str:
    """The GPU that a slice is cut from: `h100-sxm5-80gb` of `h100-sxm5-80gb:3g.40gb`."""
    return accelerator.partition(":")[0]


def recovered_by_accelerator(lines: pl.DataFrame, prices: pl.DataFrame) -> dict[str, Recovered]:
    """Accelerator -> what its lines add up to. Input: contracts.team_charges and rate_card of one month.

    A line whose accelerator has no standard price is taken to be charged at its own: no discount.
    """
    standard: dict[str, Decimal] = dict(
        prices.filter(pl.col("tier") == STANDARD).select("accelerator", "price").iter_rows()
    )
    found: dict[str, Recovered] = {}
    for line in lines.iter_rows(named=True):
        accelerator = whole_gpu(line["accelerator"])
        before = found.get(accelerator, Recovered(standard_price=standard.get(accelerator)))
        found[accelerator] = _with_line(before, line, standard)
    return dict(sorted(found.items()))


def _with_line(before: Recovered, line: Mapping[str, Any], standard: Mapping[str, Decimal]) -> Recovered:
    amount = line["amount"]
    suspense = before.suspense + (amount if line["team"] == UNATTRIBUTED else 0)
    if line["kind"] in CREDIT_KINDS:
        return replace(before, credits=before.credits - amount, suspense=suspense)
    exact = Fraction(line["exact_amount"])
    price = standard.get(line["accelerator"], line["price"])
    at_standard = Fraction(line["quantity"]) * fraction_of(price) / SECONDS_PER_HOUR
    return replace(
        before,
        charged=before.charged + amount,
        suspense=suspense,
        at_standard=before.at_standard + at_standard,
        discounts=before.discounts + at_standard - exact,
        rounding=before.rounding + exact - fraction_of(amount),
        gpu_hours=before.gpu_hours + Fraction(line["gpu_seconds"]) / SECONDS_PER_HOUR,
    )
