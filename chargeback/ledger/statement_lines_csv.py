"""A statement's lines as CSV, for a spreadsheet: text cells cannot run as formulas, numbers stay numbers."""

from decimal import Decimal

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.statement_document import read_document

COLUMNS = (
    "statement_id", "month", "mode", "team", "line_id", "cost_centre", "project", "company", "cluster", "accelerator",
    "tier", "kind", "hours", "quantity", "quantity_unit", "price_per_hour", "amount", "currency", "card_version",
    "run_count", "running_count",
)  # fmt: skip


def render_lines_csv(document: str) -> bytes:
    """RFC 4180 of a statement document, in its order; `quantity` is exact (a fraction is text), `hours` for reading."""
    statement = read_document(document)
    card_version = statement["card"]["version"] if statement["card"] else ""
    rows = [
        [
            statement["statement_id"], statement["month"], statement["mode"], statement["team"], line["line_id"],
            line["cost_centre"], line["project"], line["company"], line["cluster"], line["accelerator"], line["tier"],
            line["kind"], Decimal(line["hours"]),
            _exact(line["quantity"]), line["quantity_unit"], Decimal(line["price"]),
            Decimal(line["amount"]), statement["currency"], card_version, line["run_count"], line["running_count"],
        ]
        for line in statement["lines"]
    ]  # fmt: skip
    return render_csv(COLUMNS, rows)


def _exact(quantity: str) -> str | Decimal:
    """A whole quantity as a number, a credit's below zero too; a fraction is text."""
    return quantity if "/" in quantity else Decimal(quantity)
