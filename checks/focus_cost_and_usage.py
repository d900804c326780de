"""Checks of focus_cost_and_usage."""

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.focus_findings import invoice_findings, row_findings
from checks.gate import Check, Outcome, Reading, findings_of


def rows_that_break_a_rule(reading: Reading) -> Outcome:
    """Rules of FOCUS that rows break, one finding a rule."""
    rows = reading.table(FOCUS_COST_AND_USAGE)
    return Outcome(findings_of(row_findings(rows)), {"rows": rows.select(pl.len()).collect().item()})


def invoices_off_the_books(reading: Reading) -> Outcome:
    """Invoices whose rows are not the statement's total or what the journal puts on the team, to the last digit."""
    told = invoice_findings(
        reading.table(FOCUS_COST_AND_USAGE),
        reading.table(STATEMENTS).select("team", "statement_id", "total_amount").collect(),
        reading.table(JOURNAL_ENTRIES).select("team", "kind", "side", "accelerator", "amount").collect(),
        reading.table(RATED_USAGE).filter(pl.col("price").is_not_null()).select(pl.len()).collect().item(),
    )
    return Outcome(findings_of(told))


CHECKS = (
    Check("focus_rows_conform", FOCUS_COST_AND_USAGE, "Every FOCUS row keeps the specification's rules.",
          rows_that_break_a_rule, stops="run"),
    Check("focus_invoices_tie", FOCUS_COST_AND_USAGE, "Every invoice's FOCUS rows are its statement and its journal.",
          invoices_off_the_books, stops="run"),
)  # fmt: skip
