"""The difference of two states of charges on a terminal. Not here: any figure (chargeback/ledger)."""

from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chargeback.ledger.charge_causes import CAUSES
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document, month_name
from chargeback.ledger.statement_page import signed

NARROWEST = 140


def print_charge_difference(document: Document, console: Console) -> None:
    """In all, then team by team, then line by line; whatever is nothing everywhere has no column."""
    console.width = max(console.width, NARROWEST)
    currency = document["currency"]
    console.print(
        f"{_called(document['before'])} → {_called(document['after'])} · {grouped(document['total_before'])} → "
        f"{grouped(document['total_after'])} {currency} · difference {signed(document['difference'])} {currency}",
        markup=False,
    )
    rows = document["rows"]
    if not rows:
        console.print(f"no line differs: {document['line_count_after']} lines say the same", markup=False)
        return
    causes = [cause for cause in CAUSES if any(Fraction(row[f"because_of_{cause}"]) for row in rows)]
    told = " · ".join(f"{cause} {signed(document['causes'][cause])}" for cause in causes)
    console.print(f"because of     {told or 'nothing that costs'}", markup=False)
    console.print()
    console.print(_teams(document, causes))
    console.print()
    console.print(_lines(document, causes))


def _called(state: Document) -> str:
    return (
        f"{month_name(state['month'])} {state['called']} ({state['content_hash'][:12]}, {state['committed_at'][:10]})"
    )


def _teams(document: Document, causes: list[str]) -> Table:
    table = _table("team", "difference", *causes)
    for row in document["teams"]:
        table.add_row(Text(row["team"]), signed(row["difference"]), *(signed(row["causes"][name]) for name in causes))
    table.add_section()
    table.add_row("total", signed(document["difference"]), *(signed(document["causes"][name]) for name in causes))
    return table


def _lines(document: Document, causes: list[str]) -> Table:
    names = ("hours", "→", "rate", "→", "amount", "→", "difference", *causes)
    table = _table("line", *names)
    for row in document["rows"]:
        kind = f" · {row['kind_name']}" if row["kind_name"] != "allocation" else ""
        what = Text.assemble(f"{row['name']}{kind}", (f"\n{row['line_after'] or row['line_before']}", "dim"))
        sides = [f"{name}_{side}" for name in ("hours", "rate", "amount") for side in ("before", "after")]
        table.add_row(
            what,
            *(grouped(row[name]) if row[name] else "–" for name in sides),
            signed(row["difference"]),
            *(signed(row[f"because_of_{cause}"]) for cause in causes),
        )
    return table


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table
