"""`chargeback backfill` at the terminal: progress, what changed in hours and money, where its page is, exit code."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.recomputation_page import render_recomputation
from chargeback.ledger.statement_page import signed
from orchestration.backfill import BackfillOutcome, backfill
from orchestration.bill_command import exit_code_of
from orchestration.progress import TerminalProgress
from orchestration.workspace import Workspace, open_workspace
from resources.settings import load_settings

FOLDER = "reports/backfills"
SHOWN_REASONS = 12


def backfill_and_report(
    first_day: str, last_day: str, *, clusters: list[str], workers: int | None, to: Path | None, config: Path | None
) -> int:
    """Backfill and print; 0 when done, 1 when the gate refused a month, 3 when a run stopped for another reason."""
    workspace = open_workspace(load_settings(config))
    console = Console(soft_wrap=True, highlight=False)
    with TerminalProgress(console) as progress:
        outcome = backfill(
            first_day,
            last_day,
            workspace=workspace,
            settings_file=config,
            progress=progress,
            now=datetime.now(UTC),
            clusters=clusters,
            workers=workers,
        )
    print_backfill(outcome, console)
    console.print(f"page           {kept_page(outcome.document, workspace, to)}", markup=False)
    return exit_code_of(failures=outcome.failures, refused=outcome.refused)


def kept_page(document: Mapping[str, Any], workspace: Workspace, to: Path | None) -> str:
    """Where the page lies now: at `to`, else in the lake under a name that its content gives."""
    page = render_recomputation(document)
    if to is not None:
        to.write_bytes(page)
        return str(to)
    name = f"{document['first_day']}--{document['last_day']}-{hashlib.sha256(page).hexdigest()[:12]}.html"
    workspace.store.put_new(f"{FOLDER}/{name}", page)
    return workspace.settings.location.child(f"{FOLDER}/{name}")


def print_backfill(outcome: BackfillOutcome, console: Console) -> None:
    """Print what changed, what the gate says, and what to do where something stopped."""
    document = outcome.document
    console.print()
    if outcome.went_on:
        console.print("went on        where an earlier start stopped; before is what stood before that first start")
    for month in document["closed_months"]:
        console.print(f"closed         {month} was left alone: its days were computed, its charges stand", markup=False)
    if document["figures_changed"]:
        _compare("team", document["teams"], document["total"], document["currency"], console)
        _compare("cluster · accelerator", document["places"], document["total"], document["currency"], console)
        _held(document, console)
    _said(document, outcome, console)
    _listed("refused", outcome.refused, console)
    _listed("stopped", outcome.failures, console)
    if outcome.failures:
        console.print("               give the same command again: it goes on where this one stopped", markup=False)


def _compare(
    name: str, rows: Sequence[Mapping[str, Any]], total: Mapping[str, Any], currency: str, console: Console
) -> None:
    if not rows:
        return
    table = Table(title=f"by {name}, whole months", title_justify="left")
    table.add_column(name)
    for column in ("GPU-hours before", "after", "difference", f"{currency} before", "after", "difference"):
        table.add_column(column, justify="right")
    for row in (*rows, total):
        if row is total:
            table.add_section()
        hours = (grouped(row["hours_before"]), grouped(row["hours_after"]), signed(row["hours_difference"]))
        money = (grouped(row["amount_before"]), grouped(row["amount_after"]), signed(row["amount_difference"]))
        style = "bold" if row["changed"] and row is not total else ""
        table.add_row(Text(row["name"] or "total", style=style), *hours, *money)
    console.print(table)


def _held(document: Mapping[str, Any], console: Console) -> None:
    total = document["held_total"]
    console.print(
        f"held           in these days {grouped(total['hours_before'])} GPU-hours before, "
        f"{grouped(total['hours_after'])} after, difference {signed(total['hours_difference'])}",
        markup=False,
    )


def _said(document: Mapping[str, Any], outcome: BackfillOutcome, console: Console) -> None:
    if not document["changed"]:
        console.print(f"nothing changed: {len(outcome.runs)} runs; every table has the content that it had before")
        return
    counts = ", ".join(f"{each['table']} {each['count']}" for each in document["partitions"])
    console.print(f"changed        {document['partition_count']} partitions: {counts}", markup=False)
    if not document["figures_changed"]:
        console.print("               no hour and no amount is another than before")


def _listed(what: str, reasons: Sequence[str], console: Console) -> None:
    if not reasons:
        return
    console.print(f"{what:<15}{len(reasons)} reason{'s' if len(reasons) != 1 else ''}", style="red")
    for reason in reasons[:SHOWN_REASONS]:
        console.print(f"  - {reason}", markup=False)
    if len(reasons) > SHOWN_REASONS:
        console.print(f"  ... and {len(reasons) - SHOWN_REASONS} more; the UI shows each at its asset")
