"""What a month's lines cost under another card: quantities summed as a stream, each line priced once and rounded once.

Nothing is read but rated usage; no telemetry, no owner. A card prices an accelerator and tier alike for all, so what it
changes is a factor of a whole line: its price, and of a slice the weight that its quantity carries. What is kept in
memory is a row per line and denominator. Not here: the lines of the card that is in force (charges.py).
Source: design.md 5.6; ownership and price changes never read telemetry again.
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.contract import MONEY, PRICE
from chargeback.contracts.names import CREDIT_KINDS
from chargeback.ledger.charges import LINE_KEY, exact_sums, hold_credits_to_their_charge, line_id_of
from chargeback.money import Currency, exact_amount_of

RERATED = {
    **dict.fromkeys(LINE_KEY, pl.String()),
    "line_id": pl.String(),
    "quantity": pl.String(),
    "price": PRICE,
    "amount": MONEY,
}
"""One row per line: quantity as a reduced fraction in the unit of its new price; price and amount null without one."""

Priced = tuple[Decimal, Fraction]
"""A price per hour, and how many GPUs one slice counts as; 1 where the price is for what is held."""


def rerate_lines(
    rated: pl.LazyFrame, prices: pl.DataFrame, new_prices: pl.DataFrame, *, currency: Currency
) -> pl.DataFrame:
    """RERATED: every line of a month under another card, in order of line_id.

    Input:   contracts.rated_usage of a month; contracts.rate_card of the month by the card that it was rated with, and
             by the other one.
    Output:  what contracts.team_charges would have with that card: the same lines, quantities and amounts. Credits are
             held to what they forgive.
    """
    before, after = _by_accelerator(prices), _by_accelerator(new_prices)
    rows: list[dict[str, Any]] = []
    for key, quantity in exact_sums(rated, "quantity").items():
        line = dict(zip(LINE_KEY, key, strict=True))
        priced = line["accelerator"], line["tier"]
        rows.append(_line(line, quantity, before.get(priced), after.get(priced), currency))
    hold_credits_to_their_charge([row for row in rows if row["amount"] is not None])
    return pl.DataFrame(rows, schema=RERATED, orient="row").sort("line_id")


def _by_accelerator(prices: pl.DataFrame) -> dict[tuple[str, str], Priced]:
    return {
        (row["accelerator"], row["tier"]): (
            row["price"],
            Fraction(row["billing_weight_numerator"] or 1, row["billing_weight_denominator"] or 1),
        )
        for row in prices.iter_rows(named=True)
    }


def _line(
    key: Mapping[str, str], quantity: Fraction, before: Priced | None, after: Priced | None, currency: Currency
) -> dict[str, Any]:
    """A quantity in the old card's unit has its weight in it; without an old price it counts what is held."""
    held = quantity / before[1] if before else quantity
    row = {**key, "line_id": line_id_of(key), "quantity": str(held), "price": None, "amount": None}
    if after is None:
        return row
    price, weight = after
    sign = -1 if key["kind"] in CREDIT_KINDS else 1
    exact = sign * exact_amount_of(sign * held * weight, price_per_gpu_hour=price)
    return {**row, "quantity": str(held * weight), "price": price, "amount": currency.round(exact)}
