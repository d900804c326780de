"""The recovery ledger of a month or fiscal year as texts: for the estate page, the terminal and CSV.

Not here: the sums (recovery_year.py), the picture (recovery_chart.py).
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.gpu_hour_cost import Use, work_cost
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_amount
from chargeback.ledger.recovery_identity import TERMS
from chargeback.ledger.recovery_year import Sums, by_accelerator, carry_forward, components_of, sums_of
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.utilisation import per_cent
from chargeback.money import SECONDS_PER_HOUR, Currency

NAMES = {
    "recovered": "recovered: charged, less credits",
    "planned_idle": "planned idle that unsold hours left unpaid",
    "volume_variance": "volume: hours counted on, not charged",
    "spending_variance": "spending above plan",
    "discounts": "discounts off the standard price",
    "credits": "credits, borne by the platform",
    "rounding": "rounding",
}
CSV_COLUMNS = (
    "month", "accelerator", "currency", "plan", "actual", "planned_pool", "pool", *TERMS, "suspense", "sold_hours",
    "billable_hours", "available_gpu_seconds", "held_gpu_seconds", "unallocated_gpu_seconds", "blocked_gpu_seconds",
    "unallocated_cost", "blocked_cost", "quarantined_rows",
)  # fmt: skip


def recovery_report(rows: pl.DataFrame, *, name: str, currency: Currency, tax: Fraction) -> Document:
    """The document. Input: contracts.recovery of some months; `name`: `2026-10` or `FY2026`.

    Output: pools, terms and cost per million are of accelerators with a build-up; `unplanned` names the others, with
            what was recovered of them, so that both together are all that was charged.
    """
    planned = rows.filter(pl.col("plan") == "build-up")
    sums, tax_text = sums_of(planned), decimal_text(tax * 100, decimals=0)
    others = by_accelerator(rows.filter(pl.col("plan") == "none"))
    return {
        "name": name,
        "months": sorted(rows["month"].unique()),
        "currency": currency.code,
        "has_pool": not planned.is_empty(),
        "actual": sorted(planned["actual"].unique()),
        "quarantined_rows": sum(dict(rows.select("month", "quarantined_rows").iter_rows()).values()),
        "total": _amounts(sums, currency),
        "terms": [
            {"term": term, "name": NAMES[term], "amount": _money(sums.amounts[term], currency),
             "per_cent": _per_cent(sums.amounts[term], sums.amounts["pool"])}
            for term in TERMS
        ],
        "accelerators": [_accelerator(each, part, currency) for each, part in by_accelerator(planned).items()],
        "memo": _memo(rows, currency),
        "unplanned": [_accelerator(each, part, currency) for each, part in others.items()],
        "components": [
            {"component": component, **{of: plain_amount(amount, currency) for of, amount in amounts.items()},
             "difference": plain_amount(amounts["actual"] - amounts["planned"], currency)}
            for component, amounts in components_of(planned).items()
        ],
        "tax_per_cent": tax_text,
        "work": _work(name, sums.use, sums, currency, tax),
        "weeks": [_work(week, use, sums, currency, tax) for week, use in sums.weeks.items()],
    }  # fmt: skip


def render_recovery_csv(rows: pl.DataFrame) -> bytes:
    """contracts.recovery as CSV, a row per month and accelerator; an amount that is not known is an empty cell."""
    ordered = rows.sort("month", "accelerator").iter_rows(named=True)
    return render_csv(CSV_COLUMNS, [[_cell(row[name], Currency(row["currency"])) for name in CSV_COLUMNS]
                                    for row in ordered])  # fmt: skip


def _cell(cell: object, currency: Currency) -> str | int | Decimal:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return Decimal(plain_amount(cell, currency))
    return cell if isinstance(cell, int) else str(cell)


def _accelerator(accelerator: str, sums: Sums, currency: Currency) -> Document:
    return {
        "accelerator": accelerator,
        "name": accelerator_name(accelerator),
        **_amounts(sums, currency),
        "unallocated_hours": hours_text(sums.unallocated_seconds),
        "blocked_hours": hours_text(sums.blocked_seconds),
        "carry_forward": _money(carry_forward(sums), currency),
    }


def _memo(rows: pl.DataFrame, currency: Currency) -> list[Document]:
    """What nobody held, a row per accelerator and state that occurs; the cost is empty where nothing says it."""
    memo = []
    for accelerator, sums in by_accelerator(rows).items():
        for state, seconds in (("unallocated", sums.unallocated_seconds), ("blocked", sums.blocked_seconds)):
            if seconds:
                cost = _money(sums.amounts[f"{state}_cost"], currency)
                name = accelerator_name(accelerator)
                memo.append({"name": name, "state": state, "hours": hours_text(seconds), "cost": cost})
    return memo


def _amounts(sums: Sums, currency: Currency) -> Document:
    return {name: _money(amount, currency) for name, amount in sums.amounts.items()}


def _work(name: str, use: Use, sums: Sums, currency: Currency, tax: Fraction) -> Document:
    """Cost per million GPU-hours of a stretch of time; a week has the price per available hour of its months."""
    cost = work_cost(sums.cost_per_available_hour, use, tax=tax)
    whole = {
        "per_million": cost.per_million, "allocation_point": cost.allocation_point, "active_point": cost.active_point,
    }  # fmt: skip
    per_hour = cost.per_available_hour
    point = per_hour * use.available / SECONDS_PER_HOUR / 100 if per_hour is not None else None
    return {
        "name": name,
        "available_hours": hours_text(use.available),
        "per_available_hour": "" if per_hour is None else decimal_text(per_hour, decimals=4),
        "allocation_per_cent": per_cent(use.held, of=use.available),
        "active_per_cent": per_cent(use.active, of=use.observed),
        "coverage_per_cent": per_cent(use.observed, of=use.rated),
        **{key: "" if value is None else decimal_text(value, decimals=0) for key, value in whole.items()},
        "capacity_point": "" if point is None else decimal_text(point, decimals=currency.minor_units),
        "why_unknown": "" if cost.per_million is not None else _why_unknown(use, per_hour),
    }


def _why_unknown(use: Use, per_hour: Fraction | None) -> str:
    if per_hour is None:
        return "the card has no build-up, so what the GPUs cost is not known"
    if not use.held:
        return "nothing was held"
    if not use.observed:
        return "no telemetry: unmeasured is not idle, so nobody knows what was active"
    return "nothing that telemetry saw was active"


def _money(amount: Decimal | None, currency: Currency) -> str:
    return "" if amount is None else plain_amount(amount, currency)


def _per_cent(part: Decimal | None, whole: Decimal | None) -> str:
    return per_cent(Fraction(part), of=Fraction(whole)) if part is not None and whole else ""


def proposed_carry_forward(rows: pl.DataFrame) -> Mapping[str, Decimal]:
    """Accelerator -> what the next card should state as carry_forward_per_year. Input: recovery of a fiscal year."""
    found = {name: carry_forward(sums) for name, sums in by_accelerator(rows).items()}
    return {name: amount for name, amount in found.items() if amount is not None}
