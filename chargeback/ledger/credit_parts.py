"""What was forgiven and why, as texts of a statement document: in all, by kind, and per run.

Not here: what is forgiven (pricing/credits.py), the credit lines themselves (charges.py).
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import (
    CREDIT_KINDS,
    CREDIT_PLATFORM_FAULT,
    CREDIT_PREEMPTED,
    CREDIT_SUSPENSE,
    RESERVED_UNUSED,
)
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_amount, plain_price
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.team_usage import summed
from chargeback.money import SECONDS_PER_HOUR, Currency

CREDIT_RUNS = 50
"""Runs that a statement lists at most, the largest first."""

_RUN = ("kind", "cluster", "run", "job_id", "job_name", "user", "accelerator", "tier", "quantity_unit", "price")


def kind_name(kind: str) -> str:
    """`credit-platform-fault` as `credit, platform fault`, `reserved-unused` as `reserved, unused`."""
    if kind == RESERVED_UNUSED:
        return "reserved, unused"
    return kind.replace("credit-", "credit, ").replace("-", " ") if kind in CREDIT_KINDS else kind


def why(kind: str) -> str:
    """Why a kind of credit is given, or of charge made, in a few words."""
    if kind == RESERVED_UNUSED:
        return "it was reserved and nobody held it"
    if kind == CREDIT_SUSPENSE:
        return "nobody claimed it until it was due"
    if kind == CREDIT_PLATFORM_FAULT:
        return "the platform failed under it"
    if kind == CREDIT_PREEMPTED:
        return "it was preempted though its tier is standard"
    return "it was suspended and kept its GPUs"


def credit_parts(
    rated: pl.DataFrame | pl.LazyFrame, lines: pl.DataFrame, *, currency: Currency, limit: int = CREDIT_RUNS
) -> Document:
    """Charged, forgiven, and of the latter each kind and the largest runs; `charged` + `forgiven` is the total.

    Input:   contracts.rated_usage and team_charges of one team, or of the estate.
    Output:  amounts of kinds are sums of rounded lines; those of runs are unrounded, and `further` are the others.
    """
    amounts: dict[str, Decimal] = {}
    for kind, amount in lines.select("kind", "amount").iter_rows():
        amounts[kind] = amounts.get(kind, Decimal(0)) + amount
    given_back = summed(rated.lazy().filter(pl.col("kind").is_in(CREDIT_KINDS)), rated)
    runs = _runs(given_back)
    forgiven = [kind for kind in CREDIT_KINDS if kind in amounts]
    return {
        "charged": plain_amount(sum((amounts[kind] for kind in amounts if kind not in forgiven), Decimal(0)), currency),
        "forgiven": plain_amount(sum((amounts[kind] for kind in forgiven), Decimal(0)), currency),
        "kinds": [
            {
                "kind": kind,
                "name": kind_name(kind),
                "why": why(kind),
                "run_count": given_back.filter(pl.col("kind") == kind).select("cluster", "run").n_unique(),
                "team_count": lines.filter(pl.col("kind") == kind)["team"].n_unique(),
                "amount": plain_amount(amounts[kind], currency),
            }
            for kind in forgiven
        ],
        "runs": [_run_texts(run, quantity, currency) for run, quantity in runs[:limit]],
        "further_count": max(0, len(runs) - limit),
        "further": decimal_text(sum((_cost(run, quantity) for run, quantity in runs[limit:]), Fraction(0)), decimals=6),
    }


def hours_of_charges(lines: pl.DataFrame) -> pl.DataFrame:
    """The lines that charge for hours, held or reserved: a credit moves none."""
    return lines.filter(~pl.col("kind").is_in(CREDIT_KINDS))


def _runs(given_back: pl.DataFrame) -> list[tuple[dict[str, object], Fraction]]:
    """What each run was forgiven, by kind and price; largest amount first, ties by key."""
    sums: dict[tuple[object, ...], Fraction] = {}
    rows = given_back.group_by(*_RUN, "quantity_denominator").agg(pl.col("quantity_numerator").cast(pl.Int128).sum())
    for *key, denominator, numerator in rows.iter_rows():
        sums[tuple(key)] = sums.get(tuple(key), Fraction(0)) + Fraction(numerator, denominator)
    runs = [(dict(zip(_RUN, key, strict=True)), quantity) for key, quantity in sums.items()]
    return sorted(runs, key=lambda each: (_cost(*each), [str(each[0][name]) for name in _RUN]))


def _cost(run: Mapping[str, object], quantity: Fraction) -> Fraction:
    price = run["price"]
    return quantity * Fraction(price) / SECONDS_PER_HOUR if isinstance(price, Decimal) else Fraction(0)


def _run_texts(run: Mapping[str, object], quantity: Fraction, currency: Currency) -> Document:
    price = run["price"]
    return {
        **{name: str(run[name] or "") for name in ("kind", "cluster", "run", "job_id", "job_name", "user")},
        "name": kind_name(str(run["kind"])),
        "why": why(str(run["kind"])),
        "accelerator": accelerator_name(str(run["accelerator"])),
        "tier": run["tier"],
        "hours": hours_text(-quantity),
        "is_slice": run["quantity_unit"] == "slice-second",
        "price": plain_price(price) if isinstance(price, Decimal) else "",
        "about": decimal_text(_cost(run, quantity), decimals=currency.minor_units),
    }
