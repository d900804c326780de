"""Months of the recovery ledger added up, and what of it the next card carries forward.

    over-recovery    recovered above the planned pool; 0 if less was recovered
    carry-forward    spending variance - over-recovery; above 0: the next card recovers more

What was recovered too little since fewer hours were sold, discounts and credits stay with the platform: in the next
rate they would make GPUs dearer because fewer are used, and fewer be used because they are dearer.
Not here: which months a fiscal year has (fiscal_year.py), one month (recovery.py), texts (recovery_report.py).
Source: 2 CFR 200.468: rates take previous over- and under-recovery into account; docs/decisions/0027.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.ledger.gpu_hour_cost import Use
from chargeback.ledger.recovery_identity import TERMS

ADDED = ("planned_pool", "pool", *TERMS, "suspense", "unallocated_cost", "blocked_cost")
"""Amounts of contracts.recovery that add up over months and accelerators."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Amounts by name of ADDED, and GPU-seconds, of some rows. An amount is None where no row knows it."""

    amounts: dict[str, Decimal | None]
    use: Use
    weeks: dict[str, Use]
    unallocated_seconds: Fraction
    blocked_seconds: Fraction

    @property
    def cost_per_available_hour(self) -> Fraction | None:
        """The pool over the hours in service; None without one of both."""
        pool = self.amounts["pool"]
        return Fraction(pool) / (self.use.available / 3600) if pool is not None and self.use.available else None


def sums_of(rows: pl.DataFrame) -> Sums:
    """Rows of contracts.recovery added up, of months, accelerators or both."""
    amounts: dict[str, Decimal | None] = {}
    for name in ADDED:
        known = [amount for amount in rows[name] if amount is not None]
        amounts[name] = sum(known, Decimal(0)) if known else None
    weeks: dict[str, Use] = {}
    for text in rows["weeks"]:
        for week, seconds in json.loads(text).items():
            weeks[week] = weeks.get(week, Use()) + Use(**{name: Fraction(value) for name, value in seconds.items()})
    return Sums(
        amounts,
        sum(weeks.values(), Use()),
        dict(sorted(weeks.items())),
        *(sum(map(Fraction, rows[f"{state}_gpu_seconds"]), Fraction(0)) for state in ("unallocated", "blocked")),
    )


def by_accelerator(rows: pl.DataFrame) -> dict[str, Sums]:
    """Accelerator -> its sums, in order."""
    parts = rows.sort("accelerator", "month").partition_by("accelerator", as_dict=True, maintain_order=True)
    return {str(name): sums_of(part) for (name,), part in parts.items()}


def carry_forward(sums: Sums) -> Decimal | None:
    """What the next card should recover beside its own costs: above 0 more, below 0 less. None without a plan.

    Taken from the sums of all months, so that what one month recovered too much makes up for another.
    """
    planned, recovered, spending = (sums.amounts[name] for name in ("planned_pool", "recovered", "spending_variance"))
    if planned is None or recovered is None or spending is None:
        return None
    return spending - max(recovered - planned, Decimal(0))


def components_of(rows: pl.DataFrame) -> dict[str, dict[str, Decimal]]:
    """Component -> planned and actual, added up."""
    found: dict[str, dict[str, Decimal]] = {}
    for text in rows["components"]:
        said: dict[str, dict[str, Any]] = json.loads(text)
        for component, amounts in said.items():
            into = found.setdefault(component, {"planned": Decimal(0), "actual": Decimal(0)})
            for name in into:
                into[name] += Decimal(amounts[name])
    return dict(sorted(found.items()))
