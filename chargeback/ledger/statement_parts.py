"""The parts of a statement document that are made of one team's rated usage and lines.

Not here: the whole document (statements.py).

Every function returns texts and whole numbers only, in a fixed order.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.names import ALLOCATION
from chargeback.ledger.credit_parts import hours_of_charges, kind_name
from chargeback.ledger.plain_numbers import (
    decimal_text,
    hours_text,
    is_exact_in_hours,
    plain_amount,
    plain_price,
)
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.team_usage import summed
from chargeback.ledger.usage_sums import Held, held_by, largest_first, rows_of_largest, total
from chargeback.money import Currency

LARGEST_ITEMS = 5
JOB_KEY = ("cluster", "job_id", "job_name", "user", "account", "accelerator")
COST_DECIMALS = 6


def line_parts(lines: pl.DataFrame, *, currency: Currency) -> list[Document]:
    """Statement lines by cost centre, largest amount first, each with all it takes to multiply it by hand."""
    ordered = sorted(
        lines.iter_rows(named=True), key=lambda line: (line["cost_centre"], -line["amount"], line["line_id"])
    )
    return [
        {
            **{name: line[name] for name in (
                "line_id", "cost_centre", "project", "company", "cluster", "accelerator", "tier", "kind", "quantity",
                "quantity_unit", "gpu_seconds", "exact_amount", "run_count", "running_count",
            )},
            "name": line_name(line),
            "is_held_to_charge": line["amount"] != currency.round(Fraction(line["exact_amount"])),
            "hours": hours_text(Fraction(line["quantity"])),
            "hours_are_exact": is_exact_in_hours(Fraction(line["quantity"])),
            "quantity_seconds": _plain_seconds(Fraction(line["quantity"])),
            "price": plain_price(line["price"]),
            "exact_amount_shown": decimal_text(Fraction(line["exact_amount"]), decimals=COST_DECIMALS),
            "shown_is_exact": Fraction(decimal_text(Fraction(line["exact_amount"]), decimals=COST_DECIMALS))
            == Fraction(line["exact_amount"]),
            "amount": plain_amount(line["amount"], currency),
        }
        for line in ordered
    ]  # fmt: skip


def line_name(line: Mapping[str, Any]) -> str:
    """`H100 SXM5 80 GB · standard · slurm-a`, with the kind where it is a credit."""
    name = f"{accelerator_name(line['accelerator'])} · {line['tier']} · {line['cluster']}"
    return name if line["kind"] == ALLOCATION else f"{name} · {kind_name(line['kind'])}"


def cost_centre_totals(lines: pl.DataFrame, *, currency: Currency) -> dict[str, str]:
    """Cost centre -> sum of its rounded lines."""
    totals: dict[str, Decimal] = {}
    for cost_centre, amount in lines.select("cost_centre", "amount").iter_rows():
        totals[cost_centre] = totals.get(cost_centre, Decimal(0)) + amount
    return {cost_centre: plain_amount(totals[cost_centre], currency) for cost_centre in sorted(totals)}


def line_hours(lines: pl.DataFrame) -> str:
    """Hours charged on all lines together; empty where they count different things, GPUs and slices."""
    charged = hours_of_charges(lines)
    if charged["quantity_unit"].n_unique() != 1:
        return ""
    return hours_text(sum((Fraction(quantity) for quantity in charged["quantity"]), Fraction(0)))


def day_parts(rated: pl.DataFrame) -> list[Document]:
    """Held GPU-hours per local day and accelerator, for the chart and its table."""
    return [
        {"day": day, "accelerator": accelerator_name(accelerator), "hours": hours_text(held.gpu_seconds)}
        for (day, accelerator), held in held_by(rated, "day", "accelerator").items()
    ]


def user_parts(rated: pl.DataFrame) -> list[Document]:
    """The appendix of users: every one, unrounded."""
    return [
        {"user": user, "account": account, **held_texts(held)}
        for (user, account), held in largest_first(held_by(rated, "user", "account"))
    ]


def job_parts(rated: pl.DataFrame, *, limit: int) -> Document:
    """The appendix of jobs: the largest `limit`, unrounded, and all others as one row, so that they add up."""
    shown = held_by(rows_of_largest(rated, JOB_KEY, limit=limit), *JOB_KEY)
    everything = total(held_by(rated, "team"))
    count = rated.select(pl.struct(JOB_KEY).n_unique()).item()
    return {
        "rows": [
            {**dict(zip(JOB_KEY, key, strict=True)), "accelerator": accelerator_name(key[-1]), **held_texts(held)}
            for key, held in largest_first(shown)
        ],
        "further_count": count - len(shown),
        "further": held_texts(everything - total(shown)),
        "total": held_texts(everything),
    }


def not_charged_parts(rated: pl.DataFrame | pl.LazyFrame, uncharged: pl.DataFrame) -> list[Document]:
    """Everything of a team that is not charged, with its reason: unknown counts, jobs that never started, no price."""
    parts: list[Document] = []
    for (reason,), runs in sorted(uncharged.partition_by("reason", as_dict=True).items()):
        seconds = int(runs["wall_seconds"].sum())
        parts.append(_not_charged(str(reason), _jobs(runs), hours_text(Fraction(seconds)), "hours of wall time"))
    unpriced = summed(rated.lazy().filter(pl.col("price").is_null()), rated)
    for (accelerator, tier), held in held_by(unpriced, "accelerator", "tier").items():
        runs = unpriced.filter((pl.col("accelerator") == accelerator) & (pl.col("tier") == tier))
        reason = f"the rate card has no price for {accelerator}, {tier}"
        parts.append(_not_charged(reason, _jobs(runs), hours_text(held.gpu_seconds), "GPU-hours"))
    return parts


def _not_charged(reason: str, jobs: list[str], hours: str, unit: str) -> Document:
    return {"reason": reason, "job_count": len(jobs), "jobs": jobs[:LARGEST_ITEMS], "hours": hours, "unit": unit}


def _jobs(runs: pl.DataFrame) -> list[str]:
    return sorted({f"{cluster}/{job}" for cluster, job in runs.select("cluster", "job_id").iter_rows()})


def held_texts(held: Held) -> Document:
    """GPU-hours and their unrounded cost, exactly and as people read them."""
    return {
        "gpu_seconds": str(held.gpu_seconds),
        "hours": hours_text(held.gpu_seconds),
        "exact_cost": str(held.cost),
        "cost": decimal_text(held.cost, decimals=COST_DECIMALS),
    }


def _plain_seconds(seconds: Fraction) -> str:
    """`1440.4`, or the fraction itself where decimals would not end."""
    for decimals in range(9):
        if (seconds * 10**decimals).denominator == 1:
            return decimal_text(seconds, decimals=decimals)
    return str(seconds)


def texts(values: Iterable[str]) -> list[str]:
    """Distinct non-empty texts in order."""
    return sorted({value for value in values if value})
