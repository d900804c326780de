"""Statement lines: each sums its quantities, multiplies once by its price, divides once and rounds once, by itself.

So an unrelated late line never moves another line's cent. A credit is a line like any other, below zero, and together
the credits of a charge never give back more than it. Not here: checks of the lines (charge_findings.py).
"""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS, CREDIT_SUSPENSE, slug_of
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.money import Currency, exact_amount_of

LINE_KEY = ("month", "team", "cost_centre", "project", "company", "cluster", "accelerator", "tier", "kind")
CREDITED = tuple(column for column in LINE_KEY if column != "kind")
"""What a credit and the charge that it forgives have in common."""

_PRICED = ("quantity_unit", "price", "card_version", "customer_class")


def charge_lines(rated: pl.DataFrame | pl.LazyFrame, *, currency: Currency) -> pl.DataFrame:
    """contracts.team_charges of a month, in order of line_id.

    Input:   contracts.rated_usage of one month, summed as a stream: what is kept in memory is a row per line. Rows
             without a price are left out; they block by a check.
    Output:  a credit is rounded like any line, and held to what the credits before it (in order of CREDIT_KINDS) left
             of the charge that it forgives: two halves of a cent are not given back as two cents. What nobody claimed
             is forgiven to the last cent.
    Raises:  ValueError where one line has two prices or units: our own fault, since a month has one card.
    Source:  design.md 5.6, 5.13.
    """
    priced = rated.lazy().filter(pl.col("price").is_not_null())
    counted = priced.group_by(LINE_KEY).agg(
        *(pl.col(column).first() for column in _PRICED),
        prices=pl.struct(_PRICED).n_unique(),
        run_count=pl.col("run").n_unique().cast(pl.Int64),
        running_count=pl.col("run").filter("is_running").n_unique().cast(pl.Int64),
    )
    facts = counted.collect(engine="streaming")
    if len(doubled := facts.filter(pl.col("prices") > 1)):
        raise ValueError(f"{len(doubled)} lines have two prices, the first is {doubled.select(LINE_KEY).row(0)}")
    quantities = exact_sums(priced, "quantity")
    gpu_seconds = exact_sums(priced, "gpu_seconds")
    rows: list[dict[str, Any]] = []
    for fact in facts.iter_rows(named=True):
        key = tuple(fact[column] for column in LINE_KEY)
        rows.append(_line(fact, quantity=quantities[key], gpu_seconds=gpu_seconds[key], currency=currency))
    hold_credits_to_their_charge(rows)
    return pl.DataFrame(rows, schema=TEAM_CHARGES.schema, orient="row").sort("line_id")


def exact_sums(rated: pl.LazyFrame, stem: str) -> dict[tuple[str, ...], Fraction]:
    """The exact sum of `<stem>_numerator / <stem>_denominator` per line key, added per denominator in 128 bits."""
    sums: dict[tuple[str, ...], Fraction] = {}
    per_denominator = rated.group_by(*LINE_KEY, f"{stem}_denominator").agg(
        pl.col(f"{stem}_numerator").cast(pl.Int128).sum()
    )
    for *key, denominator, numerator in per_denominator.collect(engine="streaming").iter_rows():
        sums[tuple(key)] = sums.get(tuple(key), Fraction(0)) + Fraction(numerator, denominator)
    return sums


def line_id_of(key: Mapping[str, str]) -> str:
    """A line's stable id, the same in every computation: `GPU-2026-10-vision-7f3a9c12`."""
    spelled = json.dumps([key[column] for column in LINE_KEY], ensure_ascii=False)
    return f"GPU-{key['month']}-{slug_of(key['team'])}-{hashlib.sha256(spelled.encode()).hexdigest()[:8]}"


def residue(lines: pl.DataFrame) -> Fraction:
    """Unrounded total minus the total of rounded lines: what rounding kept back (positive) or added (negative)."""
    exact = sum((Fraction(text) for text in lines["exact_amount"]), Fraction(0))
    return exact - sum((Fraction(amount) for amount in lines["amount"]), Fraction(0))


def total_of(lines: pl.DataFrame) -> Decimal:
    """The sum of rounded lines. Added in Python: a sum of polars Decimals keeps its input's precision."""
    return sum(lines["amount"], Decimal(0))


def _line(
    fact: Mapping[str, object], *, quantity: Fraction, gpu_seconds: Fraction, currency: Currency
) -> dict[str, object]:
    price = fact["price"]
    if not isinstance(price, Decimal):
        raise TypeError(f"{price!r} is a {type(price).__name__}; a price is Decimal")
    sign = -1 if fact["kind"] in CREDIT_KINDS else 1
    exact = sign * exact_amount_of(sign * quantity, price_per_gpu_hour=price)
    key = {column: str(fact[column]) for column in LINE_KEY}
    row: dict[str, object] = {
        **fact,
        "line_id": line_id_of(key),
        "quantity": str(quantity),
        "gpu_seconds": str(gpu_seconds),
        "amount": currency.round(exact),
        "exact_amount": str(exact),
        "currency": currency.code,
    }
    return {name: row[name] for name in TEAM_CHARGES.column_names}


def hold_credits_to_their_charge(rows: list[dict[str, Any]]) -> None:
    """Raise the amount of a credit, in place, to what is left of its charge."""
    left: dict[tuple[str, ...], Decimal] = {}
    for row in rows:
        if row["kind"] not in CREDIT_KINDS:
            left[_credited(row)] = left.get(_credited(row), Decimal(0)) + row["amount"]
    for row in sorted((row for row in rows if row["kind"] in CREDIT_KINDS), key=_rank):
        of = left.get(_credited(row), Decimal(0))
        row["amount"] = -of if row["kind"] == CREDIT_SUSPENSE else max(row["amount"], -of)
        left[_credited(row)] = left.get(_credited(row), Decimal(0)) + row["amount"]


def _rank(row: Mapping[str, Any]) -> int:
    return CREDIT_KINDS.index(row["kind"])


def _credited(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[column]) for column in CREDITED)
