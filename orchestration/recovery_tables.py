"""The recovery ledger on a terminal. Not here: what it holds (recovery.py)."""

from rich.console import Console
from rich.table import Table

from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import signed

NARROWEST = 120
BAR_CELLS = 30


def print_recovery(report: Document, console: Console) -> None:
    """The pool with its terms, what is carried forward, and what a million GPU-hours of work cost."""
    console.width = max(console.width, NARROWEST)
    months = report["months"]
    stretch = months[0] if len(months) == 1 else f"{months[0]} to {months[-1]}, {len(months)} months"
    console.print(f"recovery ledger · {report['name']} · {stretch}", style="bold", markup=False)
    for each in report["unplanned"]:
        recovered = f"{grouped(each['recovered'])} {report['currency']}"
        console.print(f"{each['name']}: {recovered} recovered; no build-up, so its cost is not known", markup=False)
    if not report["has_pool"]:
        return
    _terms(report, console)
    _accelerators(report, console)
    _work(report, console)


def _terms(report: Document, console: Console) -> None:
    table = _table("part of the pool", report["currency"], "%", "")
    for term in report["terms"]:
        table.add_row(term["name"], grouped(term["amount"]), term["per_cent"], _bar(term["per_cent"]))
    table.add_section()
    basis = "as planned: no general ledger" if report["actual"] == ["plan"] else "by the general ledger"
    table.add_row(f"pool, {basis}", grouped(report["total"]["pool"]), "", "")
    console.print(table)
    for part in report["components"]:
        if part["difference"].strip("-0."):
            amounts = f"{grouped(part['actual'])} spent, {grouped(part['planned'])} planned"
            console.print(f"  {part['component']}: {amounts}, {signed(part['difference'])}", markup=False)
    if report["quarantined_rows"]:
        console.print(f"  {report['quarantined_rows']} rows of the general ledger cannot be read", style="yellow")


def _accelerators(report: Document, console: Console) -> None:
    table = _table("accelerator", "pool", "recovered", "carry forward")
    for row in report["accelerators"]:
        table.add_row(row["name"], grouped(row["pool"]), grouped(row["recovered"]), signed(row["carry_forward"]))
    console.print(table)
    if report["memo"]:
        memo = _table("nobody held it", "state", "GPU-hours", "at cost")
        for row in report["memo"]:
            memo.add_row(row["name"], row["state"], grouped(row["hours"]), _known(row["cost"]))
        console.print(memo)


def _known(amount: str) -> str:
    return grouped(amount) if amount else "no build-up"


def _work(report: Document, console: Console) -> None:
    table = _table("a million GPU-hours of work", "per available h", "allocation", "active", "seen",
                   report["currency"], "-1 pt allocation", "-1 pt active")  # fmt: skip
    for row in (*report["weeks"], report["work"]):
        shares = [f"{row[name]} %" if row[name] else "-" for name in (
            "allocation_per_cent", "active_per_cent", "coverage_per_cent")]  # fmt: skip
        if row["per_million"]:
            points = [f"+{grouped(row[name])}" if row[name] else "-" for name in ("allocation_point", "active_point")]
            table.add_row(row["name"], row["per_available_hour"], *shares, grouped(row["per_million"]), *points)
        else:
            table.add_row(row["name"], row["per_available_hour"] or "-", *shares, "not known", "", "")
    console.print(table)
    if report["work"]["why_unknown"]:
        console.print(f"not known: {report['work']['why_unknown']}", markup=False)
    console.print(f"scheduling tax {report['tax_per_cent']} %; unmeasured hours are in no share", markup=False)
    if report["work"]["capacity_point"]:
        point = f"{grouped(report['work']['capacity_point'])} {report['currency']}"
        console.print(f"one point of all available hours: {point} in {report['name']}", markup=False)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="left" if not name else "right")
    return table


def _bar(per_cent: str) -> str:
    """A bar of the size of a part, hatched below zero."""
    cells = round(abs(float(per_cent or 0)) * BAR_CELLS / 100)
    return ("░" if per_cent.startswith("-") else "█") * min(cells, 2 * BAR_CELLS)
