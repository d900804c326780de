"""The recovery ledger of a month: per accelerator its cost pool, what was recovered of it and where the rest went.

Not here: the identity (recovery_identity.py), a fiscal year (recovery_year.py), the checks (recovery_findings.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.recovery import RECOVERY
from chargeback.ledger.general_ledger import GeneralLedger, actual_costs
from chargeback.ledger.gpu_hour_cost import Use
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.recovered import Recovered, recovered_by_accelerator, whole_gpu
from chargeback.ledger.recovery_hours import Weeks
from chargeback.ledger.recovery_identity import CARRY_FORWARD, Plan, exact_terms, rounded_terms
from chargeback.money import Currency

UNKNOWN = dict.fromkeys(
    ("planned_pool", "pool", "planned_idle", "volume_variance", "spending_variance", "discounts", "rounding",
     "unallocated_cost", "blocked_cost")
)  # fmt: skip

AT_COST = ("unallocated", "blocked")
"""States of capacity that nobody pays for: the platform's memo, valued at cost."""


def recovery_rows(
    lines: pl.DataFrame,
    prices: pl.DataFrame,
    planned: pl.DataFrame,
    ledger: GeneralLedger | None,
    capacity_totals: pl.DataFrame,
    weeks: Mapping[str, Weeks],
    *,
    month: str,
    currency: Currency,
) -> pl.DataFrame:
    """contracts.recovery of a month, in order of accelerator.

    Input:   contracts.team_charges and rate_card of the month; PLANNED_COSTS of the card in force; the general ledger's
             part of the month (None: none was landed, what was planned is taken to be spent); capacity_totals and
             weeks_by_accelerator of the month.
    Output:  an accelerator without a build-up has what was recovered, and nulls where its cost would have to be known.
    """
    plans = plans_of(planned)
    sums = recovered_by_accelerator(lines, prices)
    spent, _ = actual_costs(
        ledger.posted if ledger else (), {name: plan.costs for name, plan in plans.items()}, currency=currency
    )
    totals = _totals_by_gpu(capacity_totals)
    quarantined = len(ledger.quarantined) if ledger else 0
    rows = []
    for accelerator in sorted({*plans, *sums, *totals, *weeks}):
        plan, recovered = plans.get(accelerator), sums.get(accelerator, Recovered())
        components = _components(plan, spent.get(accelerator, {}) if ledger else None, currency)
        row = {
            **_money(plan, spent.get(accelerator, {}) if ledger else None, recovered, currency),
            **_hours(weeks.get(accelerator, {}), totals.get(accelerator)),
            "month": month,
            "accelerator": accelerator,
            "currency": currency.code,
            "suspense": recovered.suspense,
            "sold_hours": str(recovered.sold_hours()),
            "components": json.dumps(components, sort_keys=True),
            "quarantined_rows": quarantined,
        }
        rows.append({**row, **(_idle_at_cost(row, currency) if plan else {})})
    return pl.DataFrame(rows, schema=RECOVERY.schema, orient="row").select(RECOVERY.column_names)


def plans_of(planned: pl.DataFrame) -> dict[str, Plan]:
    """Accelerator -> its plan, from PLANNED_COSTS (pricing/planned_costs.py)."""
    costs: dict[str, dict[str, Fraction]] = {}
    said: dict[str, tuple[Fraction, Fraction]] = {}
    for row in planned.iter_rows(named=True):
        costs.setdefault(row["accelerator"], {})[row["component"]] = Fraction(row["cost"])
        said[row["accelerator"]] = Fraction(row["billable_hours"]), Fraction(row["capacity_share"])
    return {name: Plan(costs[name], *said[name]) for name in sorted(costs)}


def _totals_by_gpu(capacity_totals: pl.DataFrame) -> dict[str, dict[str, Fraction]]:
    """GPU -> unallocated and blocked seconds; what nobody held of a slice is its GPU's, as is what it cost."""
    totals: dict[str, dict[str, Fraction]] = {}
    for row in capacity_totals.iter_rows(named=True):
        into = totals.setdefault(whole_gpu(row["accelerator"]), dict.fromkeys(AT_COST, Fraction(0)))
        for state in AT_COST:
            into[state] += Fraction(row[state])
    return totals


def _money(
    plan: Plan | None, spent: Mapping[str, Decimal] | None, recovered: Recovered, currency: Currency
) -> dict[str, object]:
    if plan is None:
        known = {"recovered": recovered.net, "credits": recovered.credits}
        return {**UNKNOWN, **known, "plan": "none", "actual": "none", "exact_rounding": "", "billable_hours": ""}
    planned_spending = plan.pool - plan.carry_forward
    total = planned_spending if spent is None else Fraction(sum(spent.values(), Decimal(0)))
    terms = exact_terms(plan, total, recovered)
    return {
        **rounded_terms(terms, currency),
        "planned_pool": currency.round(plan.pool),
        "plan": "build-up",
        "actual": "plan" if spent is None else "general ledger",
        "exact_rounding": str(terms["rounding"]),
        "billable_hours": str(plan.billable_hours),
    }


def _components(
    plan: Plan | None, spent: Mapping[str, Decimal] | None, currency: Currency
) -> dict[str, dict[str, str]]:
    """Planned and actual cost by component; the carry-forward is no spending, so its actual is what was planned."""
    if plan is None:
        return {}
    shown = {}
    for name in sorted({*plan.costs, *(spent or {})}):
        planned = plain_amount(currency.round(plan.costs.get(name, Fraction(0))), currency)
        actual = planned
        if spent is not None and name != CARRY_FORWARD:
            actual = plain_amount(spent.get(name, Decimal(0)), currency)
        shown[name] = {"planned": planned, "actual": actual}
    return shown


def _hours(weeks: Weeks, totals: Mapping[str, Fraction] | None) -> dict[str, str]:
    use = sum(weeks.values(), Use())
    return {
        "available_gpu_seconds": str(use.available),
        "held_gpu_seconds": str(use.held),
        **{f"{state}_gpu_seconds": str(totals[state]) if totals else "0" for state in AT_COST},
        "weeks": json.dumps(
            {week: {name: str(seconds) for name, seconds in asdict(part).items()} for week, part in weeks.items()},
            sort_keys=True,
        ),
    }


def _idle_at_cost(row: Mapping[str, object], currency: Currency) -> dict[str, Decimal]:
    """What capacity cost that nobody held: hours x pool / hours in service. The card's rate would be more than it cost,
    since it carries planned idle hours already. Source: design.md 5.8.
    """
    available = Fraction(str(row["available_gpu_seconds"]))
    per_second = Fraction(str(row["pool"])) / available if available else Fraction(0)
    return {
        f"{state}_cost": currency.round(Fraction(str(row[f"{state}_gpu_seconds"])) * per_second) for state in AT_COST
    }


def ledger_of_month(extracts: Sequence[GeneralLedger], month: str) -> GeneralLedger | None:
    """The part of a month of the latest extract that names it; None if none does. Input: extracts, the oldest first."""
    naming = [extract for extract in extracts if month in extract.months]
    return naming[-1].of_month(month) if naming else None
