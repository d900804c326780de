"""Why a team's total differs from last month's: other hours, another rate, or credits. Not here: corrections."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS
from chargeback.ledger.credit_parts import hours_of_charges
from chargeback.money import SECONDS_PER_HOUR, Currency


@dataclass(frozen=True, slots=True)
class MonthChange:
    """`difference` = `hours_effect` + `rate_effect` + `credits_effect`, exactly, in rounded money."""

    previous_total: Decimal
    difference: Decimal
    hours_effect: Decimal
    rate_effect: Decimal
    credits_effect: Decimal


def month_change(lines: pl.DataFrame, previous: pl.DataFrame, *, currency: Currency) -> MonthChange:
    """Compare a team's contracts.team_charges of two months.

    The rate effect is this month's quantity times the change of price, for whatever was charged in both months, rounded
    once; what more or less was forgiven is the effect of credits; all else (more, fewer, new and vanished hours, and
    the cents of rounding) is the effect of hours.
    """
    now, before = _by_price(hours_of_charges(lines)), _by_price(hours_of_charges(previous))
    rate_effect = sum(
        (
            now[key][0] * (Fraction(now[key][1]) - Fraction(before[key][1])) / SECONDS_PER_HOUR
            for key in set(now) & set(before)
        ),
        Fraction(0),
    )
    previous_total = _sum(previous["amount"])
    difference = _sum(lines["amount"]) - previous_total
    rounded = currency.round(rate_effect)
    forgiven = _sum(_forgiven(lines)) - _sum(_forgiven(previous))
    return MonthChange(previous_total, difference, difference - rounded - forgiven, rounded, forgiven)


def _forgiven(lines: pl.DataFrame) -> pl.Series:
    return lines.filter(pl.col("kind").is_in(CREDIT_KINDS))["amount"]


def _by_price(lines: pl.DataFrame) -> dict[tuple[str, str, str], tuple[Fraction, Decimal]]:
    quantities: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    prices: dict[tuple[str, str, str], Decimal] = {}
    for line in lines.iter_rows(named=True):
        key = (line["accelerator"], line["tier"], line["quantity_unit"])
        quantities[key] += Fraction(line["quantity"])
        prices[key] = line["price"]
    return {key: (quantities[key], prices[key]) for key in prices}


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))
