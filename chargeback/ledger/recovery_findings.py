"""What a check asks of the recovery ledger: that it adds up, by another route, and that it is what was journalled.

Not here: the gate itself, and the rule (recovery.py).
"""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.journal_entries import CORRECTION_KINDS
from chargeback.contracts.names import CREDIT_KINDS
from chargeback.ledger.general_ledger import GeneralLedger, actual_costs
from chargeback.ledger.recovered import whole_gpu
from chargeback.ledger.recovery_identity import TERMS, Plan, identity_gap
from chargeback.money import Currency

ROUNDED_TERMS = len(TERMS)
"""The pool and every term but rounding itself are rounded once; each can be half a minor unit off."""

Finding = tuple[str, str, str]


def identity_findings(rows: pl.DataFrame, currency: Currency) -> list[Finding]:
    """(accelerator, the pool, what its terms add up to) of rows that do not add up, and rounding that is too much.

    The residue may hide nothing: it has to be the rounding of rate and lines, give or take half a minor unit a term.
    """
    found = []
    for row in rows.filter(pl.col("plan") == "build-up").iter_rows(named=True):
        gap = identity_gap(row)
        if gap:
            parts = " + ".join(f"{name} {row[name]:f}" for name in TERMS)
            found.append((row["accelerator"], f"pool {row['pool']:f}", f"{parts} = {row['pool'] - gap:f}"))
        exact = Fraction(row["exact_rounding"])
        off = abs(Fraction(row["rounding"]) - exact)
        if off > ROUNDED_TERMS * Fraction(currency.smallest_amount) / 2:
            found.append((row["accelerator"], f"rounding of rate and lines: {exact}", f"rounding {row['rounding']:f}"))
    return found


def recovered_findings(rows: pl.DataFrame, lines: pl.DataFrame, entries: pl.DataFrame) -> list[Finding]:
    """(accelerator, charged, recovered) where they differ, and the total against the journal's recovery account.

    Input: contracts.recovery, team_charges and journal_entries of a month. The journal is read on the platform's side,
    which no line of a team stands on: what is credited to recovery less what is debited for credits. Entries that
    correct closed months recover the pools of those months, whose ledgers are closed with them.
    """
    charged: dict[str, Decimal] = defaultdict(Decimal)
    for accelerator, amount in lines.select("accelerator", "amount").iter_rows():
        charged[whole_gpu(accelerator)] += amount
    recovered = defaultdict(Decimal, rows.select("accelerator", "recovered").iter_rows())
    found = [
        (accelerator, f"lines charge {charged[accelerator]:f}", f"recovered {recovered[accelerator]:f}")
        for accelerator in sorted({*charged, *recovered})
        if charged[accelerator] != recovered[accelerator]
    ]
    booked = Decimal(0)
    of_month = entries.filter(~pl.col("kind").is_in(CORRECTION_KINDS))
    for side, kind, accelerator, amount in of_month.select("side", "kind", "accelerator", "amount").iter_rows():
        if not accelerator:
            booked += -amount if kind in CREDIT_KINDS else amount
            if (side == "debit") != (kind in CREDIT_KINDS):
                found.append((kind, "charges are credited to recovery, credits debited", f"a {side} of {amount:f}"))
    total = sum(recovered.values(), Decimal(0))
    if booked != total:
        found.append(("estate", f"the journal recovers {booked:f}", f"recovered {total:f}"))
    return found


def ledger_findings(ledger: GeneralLedger | None, plans: Mapping[str, Plan], currency: Currency) -> list[Finding]:
    """What of a month's general ledger could not be used, or is missing in it: each a row of its own.

    Input: the month's part of the latest extract, None if none was landed, which is no fault.
    """
    if ledger is None:
        return []
    found = [("quarantined", "a row that can be read", row.said) for row in ledger.quarantined]
    planned = {name: plan.costs for name, plan in plans.items()}
    actual, unplaced = actual_costs(ledger.posted, planned, currency=currency)
    found += [
        (row.accelerator or "shared", "a build-up in the card in force", f"{row.component} {row.amount:f}: in no pool")
        for row in unplaced
    ]
    for accelerator, costs in planned.items():
        missing = [
            name for name, cost in costs.items() if cost and name != "carry-forward" and name not in actual[accelerator]
        ]
        if missing:
            found.append((accelerator, f"postings of {', '.join(missing)}, as planned", "none: taken to be 0"))
    return found
