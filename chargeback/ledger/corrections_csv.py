"""A statement's corrections of earlier months as CSV, beside the CSV of its lines: both together are its total."""

from decimal import Decimal

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.statement_document import read_document

COLUMNS = (
    "statement_id", "month", "mode", "team", "corrects_month", "line_id", "cost_centre", "project", "company",
    "cluster", "accelerator", "tier", "kind", "reason", "stood_hours", "fresh_hours", "stood_amount", "fresh_amount",
    "amount", "currency", "status", "approval",
)  # fmt: skip


def render_corrections_csv(document: str) -> bytes | None:
    """RFC 4180 of what is booked, then of what accumulates (which is in no total); None where there is nothing."""
    statement = read_document(document)
    corrections = statement.get("corrections")
    if corrections is None:
        return None
    rows = [
        [
            statement["statement_id"], statement["month"], statement["mode"], statement["team"], row["corrects_month"],
            row["line_id"], row["cost_centre"], row["project"], row["company"], row["cluster"], row["accelerator"],
            row["tier"], row["kind"], row["reason"], Decimal(row["stood_hours"]), Decimal(row["fresh_hours"]),
            Decimal(row["stood_amount"]), Decimal(row["fresh_amount"]), Decimal(row["amount"]), statement["currency"],
            status, row["approval"],
        ]
        for status, listed in (("booked", corrections["rows"]), ("accumulated", corrections["accumulated"]))
        for row in listed
    ]  # fmt: skip
    return render_csv(COLUMNS, rows)
