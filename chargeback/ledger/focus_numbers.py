"""FOCUS decimals: hours to the billionth, and costs that are exactly price x hours. Never a float.

An hour has no finite decimal for most seconds (1/3600), so the quantity is rounded, once and half up, and the cost
follows from the rounded quantity: whoever multiplies gets the cost to the last digit. What that moves, and what the
statement's own rounding moves, stands in the invoice's Adjustment row. Source: docs/decisions/0024.
"""

import polars as pl

from chargeback.contracts.contract import PRICE
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST, FOCUS_QUANTITY
from chargeback.money import SECONDS_PER_HOUR

BILLIONTHS = 10**9


def hours_of(numerator: pl.Expr, denominator: pl.Expr, *, per_hour: int = SECONDS_PER_HOUR) -> pl.Expr:
    """`numerator / denominator / per_hour` as hours, rounded half up to the billionth; below zero for a credit.

    Computed in 128-bit integers: up to 10^19 of numerator and of denominator x per_hour.
    """
    whole = denominator.cast(pl.Int128) * pl.lit(per_hour, pl.Int128)
    # Split first: numerator x 10^9 alone would leave 128 bits where consumed milliseconds are counted in millionths.
    hours = numerator.cast(pl.Int128) // whole
    rest = numerator.cast(pl.Int128) - hours * whole
    billionths = (2 * BILLIONTHS * rest + whole) // (2 * whole)
    units = hours * pl.lit(BILLIONTHS, pl.Int128) + billionths
    return units.cast(pl.Decimal(38, 0)).cast(FOCUS_QUANTITY) / pl.lit(BILLIONTHS).cast(FOCUS_QUANTITY)


def cost_of(price: str, quantity: str) -> pl.Expr:
    """Price x quantity, exactly: widened before it is multiplied, since polars rounds to the wider input's scale."""
    return pl.col(price).cast(FOCUS_COST) * pl.col(quantity).cast(FOCUS_COST)


def price_of(column: str) -> pl.Expr:
    """A price as it stands in the card."""
    return pl.col(column).cast(PRICE)


def decimal_digits(column: str) -> pl.Expr:
    """A decimal as plain digits without the zeros that only its scale puts there: 2.385, 0, -0.01."""
    text = pl.col(column).cast(pl.String)
    return pl.when(text.str.contains(".", literal=True)).then(
        text.str.strip_chars_end("0").str.strip_chars_end(".")
    ).otherwise(text)  # fmt: skip
