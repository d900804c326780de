"""Who pays how much more or less, on a terminal. Not here: any figure (chargeback/ledger/rerating.py)."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import signed

NARROWEST = 110
PARTS = (
    ("open", "open months, computed again at the card"),
    ("closed", "closed months: they stand; the difference becomes corrections in an open month"),
)


def print_rerating(document: Document, console: Console) -> None:
    """Rates that change, then months, teams and accelerators, open months apart from closed ones."""
    console.width = max(console.width, NARROWEST)
    state = "signed" if document["is_signed"] else "NOT SIGNED"
    console.print(Text(f"Rate card {', '.join(document['cards'])}", style="bold"), end="")
    console.print(f" · {state} · {document['currency']} · {len(document['rates'])} rates change", markup=False)
    for why in document["unsigned"]:
        console.print(f"{why}; it may be looked at, and prices no posting", style="yellow", markup=False)
    for row in document["rates"]:
        before, after = row["before"] or "none", row["after"] or "none"
        console.print(f"  {row['name']} · {row['tier']}: {before} → {after} · {', '.join(row['months'])}", markup=False)
    for status, title in PARTS:
        if document[status]["months"]:
            console.print()
            console.print(title)
            console.print(_table(document[status]))
    if document["other_card_only"]:
        months = ", ".join(document["other_card_only"])
        console.print(f"{months}: another card or signature, at equal rates; no amount changes", markup=False)
    if not document["rates"]:
        console.print("nobody pays more or less", markup=False)


def _table(part: Document) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    for name in ("GPU-hours", "now", "at the card", "difference", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for by in ("months", "teams", "accelerators"):
        for row in part[by]:
            table.add_row(Text(row["name"]), *_figures(row))
        table.add_section()
    table.add_row("total", *_figures(part["total"]))
    return table


def _figures(row: Document) -> list[str]:
    share = f"{signed(row['per_cent'])} %" if row["per_cent"] else ""
    return [*(grouped(row[name]) for name in ("hours", "before", "after")), signed(row["difference"]), share]
