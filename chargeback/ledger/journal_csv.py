"""The journal as a neutral CSV for a finance system's import: one row per journal line, batch fields on each.

Not here: formats of one system.
"""

from collections import defaultdict
from decimal import Decimal

import polars as pl

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.journal import by_entry, entry_hash
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.money import Currency

COLUMNS = (
    "batch_id", "period", "company", "currency", "source", "control_total", "status", "entry_key", "entry_sha256",
    "line_number", "side", "amount", "account", "cost_centre", "team", "accelerator", "tier", "kind", "tax_code",
    "partner_company", "hold", "description",
)  # fmt: skip


def render_journal_csv(entries: pl.DataFrame, currency: Currency, *, mode: str) -> bytes:
    """RFC 4180, in order of entry key and line number; `control_total` is the sum of the batch's debits.

    `status` is `withheld` in a parallel month, when nothing may be imported, and `held` of an entry that may not be
    posted yet: `hold` says why.
    """
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for batch, amount in entries.filter(pl.col("side") == "debit").select("batch_key", "amount").iter_rows():
        totals[batch] += amount
    status = "withheld" if mode == "parallel" else "prepared"
    rows: list[list[str | int | Decimal]] = []
    for entry in by_entry(entries).values():
        digest = entry_hash(entry)
        for line in entry.iter_rows(named=True):
            rows.append(
                [
                    line["batch_key"],
                    line["month"],
                    line["company"],
                    line["currency"],
                    "gpu-chargeback",
                    Decimal(plain_amount(totals[line["batch_key"]], currency)),
                    "held" if line["hold"] else status,
                    line["entry_key"],
                    digest,
                    line["line_number"],
                    line["side"],
                    Decimal(plain_amount(line["amount"], currency)),
                    line["account"],
                    line["cost_centre"],
                    line["team"],
                    line["accelerator"],
                    line["tier"],
                    line["kind"],
                    line["tax_code"],
                    line["partner_company"],
                    line["hold"],
                    line["description"],
                ]
            )
    return render_csv(COLUMNS, rows)
