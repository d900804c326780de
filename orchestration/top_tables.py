"""The lists of `chargeback top` on a terminal. Not here: what they hold (top.py)."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document, month_name
from chargeback.ledger.statement_page import day_name, sentence
from chargeback.ledger.top_lists import EXCEPTIONS, WORKLOADS

NARROWEST = 120
BAR_CELLS = 24
SHOWN_NAMES = 5
BLOCKS = {"busy": "█", "starved": "▒", "idle": "░", "unmeasured": "·"}


def print_top(document: Document, console: Console) -> None:
    """Print a list, its sums above it."""
    console.width = max(console.width, NARROWEST)
    {WORKLOADS: _workloads, EXCEPTIONS: _exceptions}.get(document["by"], _groups)(document, console)


def _workloads(document: Document, console: Console) -> None:
    _headline(document, console)
    for place, row in enumerate(document["rows"], start=1):
        console.print(_loss(place, row, document["currency"]))
    if document["has_telemetry"] and not document["rows"]:
        console.print("Nothing was lost.", markup=False)
    if document["gpus_never_active"]:
        of_runs = ", ".join(
            f"{row['workload_name']} {row['gpus_never_active']} of {row['gpus_measured']}"
            for row in document["never_active"][:SHOWN_NAMES]
        )
        counts = f"{document['gpus_never_active']} of {document['gpus_measured']}"
        console.print(f"\nGPUs never active: {counts}   {of_runs}", markup=False)
    if document["unmeasured"]:
        console.print(f"\nnobody knows what {grouped(document['unmeasured_hours'])} GPU-hours did", markup=False)
        for row in document["unmeasured"]:
            console.print(f"  {grouped(row['hours']):>12}  {row['workload_name']}   {_whose(row)}", markup=False)
        console.print(f"  {sentence(document['unmeasured'][0]['do_first'])}", markup=False)


def _loss(place: int, row: Document, currency: str) -> Text:
    """One loss in two lines: how much, of what, whose, when; and what to do first."""
    facts = f"{place:>3} {grouped(row['hours']):>12} GPU-h  {row['what']:<26}"
    estimate = " (estimated: its GPUs are shared)" if row["is_estimate"] else ""
    return Text.assemble(
        facts,
        (row["workload_name"], "bold"),
        f"   {_whose(row)} · {_days(row)} · about {grouped(row['about'])} {currency}\n",
        (f"{'':<{len(facts)}}{row['do_first']}{estimate}", "dim"),
    )


def _groups(document: Document, console: Console) -> None:
    _headline(document, console)
    table = _table((document["by"], "left"), ("held", "right"), ("active", "right"), ("lost", "right"),
                   ("starved", "right"), ("idle", "right"), ("unmeasured", "right"), ("node-hours", "right"),
                   ("what the held hours did", "left"))  # fmt: skip
    for row in document["rows"]:
        table.add_row(Text(row["name"]), *_figures(row), _bar(row))
    if document["further_count"]:
        table.add_row(f"{document['further_count']} further", *_figures(document["further"]), _bar(document["further"]))
    table.add_section()
    table.add_row("total", *_figures(document["total"]), _bar(document["total"]))
    console.print(table)
    console.print("  ".join(f"{block} {state}" for state, block in BLOCKS.items()) + "   in GPU-hours", markup=False)


def _exceptions(document: Document, console: Console) -> None:
    unheld, quota = document["unheld"], document["quota"]
    console.print(
        f"{month_name(document['month'])} · {_count(unheld['count'], 'GPU')} worked while nobody held them: "
        f"{grouped(unheld['hours'])} GPU-hours · {_count(quota['count'], 'workload')} had quota that no pod held: "
        f"{grouped(quota['hours'])} GPU-hours · nobody's charge",
        markup=False,
    )
    for part, names in ((unheld, ("host", "GPU", "labels on it")), (quota, ("namespace", "workload", "queue"))):
        if part["rows"]:
            _exception_rows(part["rows"], names, console)


def _exception_rows(rows: list[Document], names: tuple[str, str, str], console: Console) -> None:
    where, what, detail = names
    table = _table(("GPU-hours", "right"), (where, "left"), (what, "left"), ("when", "left"), (detail, "left"))
    for row in rows:
        name = row["what"] if row["what"] == row["name"] else f"{row['name']}\n{row['what']}"
        place = f"{row['where']} · {row['cluster']}"
        table.add_row(grouped(row["hours"]), Text(place), Text(name), _days(row), Text(row["detail"] or "–"))
    console.print()
    console.print(table)
    console.print(sentence(rows[0]["do_first"]), markup=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _headline(document: Document, console: Console) -> None:
    total = document["total"]
    whose = f" · team {document['team']}" if document["team"] else ""
    seen = f"telemetry saw {total['coverage_per_cent']} % of them" if document["has_telemetry"] else "no telemetry"
    console.print(
        f"{month_name(document['month'])}{whose} · {grouped(total['hours'])} GPU-hours held · "
        f"{grouped(total['active_hours'])} active · {grouped(total['lost_hours'])} lost · {seen}",
        markup=False,
    )
    if not document["has_telemetry"]:
        console.print("What these GPUs did is unmeasured, not idle: land their telemetry (source dcgm).", markup=False)


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, side in columns:
        table.add_column(name, justify=side, no_wrap=side == "right")  # type: ignore[arg-type]
    return table


def _figures(row: Document) -> list[str]:
    names = ("hours", "active_hours", "lost_hours", "starved_hours", "idle_hours", "unmeasured_hours", "node_hours")
    return [grouped(row[name]) if row[name] else "–" for name in names]


def _bar(row: Document) -> str:
    """The states as blocks; what is smaller than half a block is not drawn."""
    held = float(row["hours"])
    if not held:
        return ""
    drawn = (block * round(float(row[f"{state}_hours"]) / held * BAR_CELLS) for state, block in BLOCKS.items())
    return "".join(drawn)[:BAR_CELLS]


def _whose(row: Document) -> str:
    return " · ".join(part for part in (row["team"], row["user"], row["account"], row["cluster"]) if part)


def _days(row: Document) -> str:
    first, last = day_name(row["first_day"]), day_name(row["last_day"])
    return first if first == last else f"{first} to {last}"
