"""How a month's FOCUS rows break their rules, and where they do not add up. Keys, what is expected, what is there."""

from collections import defaultdict
from decimal import Decimal

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.focus_rows import costs_by_invoice
from chargeback.ledger.focus_rules import broken_rules, misnamed_columns
from chargeback.ledger.focus_usage import ORIGIN
from chargeback.ledger.team_sides import on_teams
from chargeback.money import Currency

Finding = tuple[str, str, str]

_SHOWN = ("InvoiceId", "ChargeCategory", "ChargePeriodStart", "x_Run", "x_Host")
_RATIO = r'"AllocatedRatio":([0-9.]+)'


def row_findings(rows: pl.LazyFrame) -> list[Finding]:
    """One finding per rule that rows break, with the count and the first row. The rows are read once where all is well.

    Input: contracts.focus_cost_and_usage of a month.
    """
    rules = broken_rules()
    counts = rows.select(broken.sum().alias(rule) for rule, broken in rules.items()).collect(engine="streaming")
    told: list[Finding] = [
        (name, "x_ and PascalCase, behind FOCUS's columns", "misnamed or misplaced")
        for name in misnamed_columns([name for name in rows.collect_schema().names() if name != "month"])
    ]
    for rule, count in counts.row(0, named=True).items() if len(counts) else ():
        if count:
            first = rows.filter(rules[rule]).select(_SHOWN).head(1).collect().row(0)
            told.append((" ".join(str(value) for value in first), rule, f"{count} rows break it, this is the first"))
    codes = rows.select(pl.col("BillingCurrency").unique()).collect()["BillingCurrency"]
    return [*told, *_currencies(codes.drop_nulls().to_list()), *split_findings(rows)]


def split_findings(rows: pl.LazyFrame) -> list[Finding]:
    """Charges that were split into parts whose ratios are not 1 together."""
    ratio = pl.col("AllocatedMethodDetails").str.extract(_RATIO).str.to_decimal(scale=12)
    sums = (
        rows.filter(pl.col("AllocatedMethodId").is_not_null())
        .group_by(ORIGIN)
        .agg(ratios=ratio.sum())
        .filter(pl.col("ratios").ne_missing(pl.lit(Decimal(1))))
        .sort(ORIGIN)
        .collect(engine="streaming")
    )
    return [
        (f"{row['AvailabilityZone']} {row['x_Run']} {row['ChargePeriodStart']:%Y-%m-%d}", "AllocatedRatios add up to 1",
         f"{row['ratios']}")
        for row in sums.iter_rows(named=True)
    ]  # fmt: skip


def invoice_findings(
    rows: pl.LazyFrame, statements: pl.DataFrame, entries: pl.DataFrame, rated_rows: int
) -> list[Finding]:
    """Where invoices, statements and journal differ, and usage that has no row.

    Input:   contracts.focus_cost_and_usage, statements (team, statement_id, total_amount) and journal_entries (team,
             kind, side, accelerator, amount) of a month; how many rows of rated_usage have a price.
    """
    would_be = costs_by_invoice(rows, "x_WouldBeBilledCost")
    stated = {row["statement_id"]: row for row in statements.iter_rows(named=True)}
    journal: dict[str, Decimal] = defaultdict(Decimal)
    for team, amount in on_teams(entries).iter_rows():
        journal[team] += amount
    told: list[Finding] = []
    for invoice in sorted({*would_be, *stated}):
        total = stated[invoice]["total_amount"] if invoice in stated else "no statement"
        if would_be.get(invoice) != total:
            told.append((invoice, f"the statement's total: {total}", str(would_be.get(invoice, "no rows"))))
        elif journal[stated[invoice]["team"]] != total:
            told.append((invoice, f"the journal's net: {journal[stated[invoice]['team']]}", str(total)))
    adjusted = rows.filter(ChargeCategory="Adjustment").group_by("InvoiceId").len().collect()
    counted = dict(adjusted.iter_rows())
    told.extend(
        (invoice, "one Adjustment row", str(counted.get(invoice, 0)))
        for invoice in sorted(stated)
        if counted.get(invoice, 0) != 1
    )
    usage = rows.filter(pl.col("ChargeCategory").is_in(["Usage", "Credit"]) & pl.col("ChargeClass").is_null())
    found = usage.select(pl.len()).collect().item()
    if found != rated_rows:
        told.append((FOCUS_COST_AND_USAGE.table, f"{rated_rows} Usage rows, one per priced usage", str(found)))
    return told


def _currencies(codes: list[str]) -> list[Finding]:
    told: list[Finding] = []
    for code in codes:
        try:
            Currency(code)
        except ValueError:
            told.append((code, "BillingCurrency of ISO 4217", "no such code"))
    if len(codes) > 1:
        told.append((", ".join(sorted(codes)), "one BillingCurrency", f"{len(codes)}"))
    return told
