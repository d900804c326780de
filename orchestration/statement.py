"""`chargeback statement`: a team's statement of a month as table, JSON, CSV, page or PDF; a preview until published."""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from chargeback.contracts.partition import Partition
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings

FORMATS = ("table", "json", "csv", "html", "pdf")
RENDERED = {"csv": render_lines_csv, "html": render_page, "pdf": render_pdf}
SHOWN_LOSSES = 3


def show_statement(team: str, month: str, *, output: str, config: Path | None) -> None:
    """Print the statement. Raises SettingsRefused for an unknown format, team or month."""
    if output not in FORMATS:
        raise SettingsRefused(f"--format {output!r}: must be one of {', '.join(FORMATS)}")
    document = statement_document(team, month, open_workspace(load_settings(config), to_read=True))
    if output == "table":
        print_statement(json.loads(document), Console(soft_wrap=True, highlight=False))
    elif output == "json":
        sys.stdout.write(document + "\n")
    else:
        sys.stdout.buffer.write(RENDERED[output](document))


def statement_document(team: str, month: str, workspace: Workspace) -> str:
    """The statement's content. Raises SettingsRefused, naming the teams that have one."""
    rows = workspace.lake.scan(STATEMENTS, [Partition.of_month(month)]).frame.select("team", "document").collect()
    found = rows.filter(pl.col("team").str.to_lowercase() == team.lower())
    if found.is_empty():
        known = ", ".join(sorted(rows["team"])) or "none; bill the month first"
        raise SettingsRefused(f"no statement of team {team!r} for {month}; there are: {known}")
    return str(found["document"][0])


def print_statement(document: dict[str, Any], console: Console) -> None:
    """The lines that are charged, then what the held hours did and what to do first."""
    table = Table(
        title=f"GPU statement · {document['team']} · {document['month']} · {document['statement_id']}",
        title_justify="left",
    )
    for name, side in (("line", "left"), ("what", "left"), ("hours", "right"), ("rate", "right"), ("amount", "right")):
        table.add_column(name, justify=side, no_wrap=name == "line")  # type: ignore[arg-type]
    for line in document["lines"]:
        table.add_row(
            line["line_id"], line["name"], grouped(line["hours"]), grouped(line["price"]), grouped(line["amount"])
        )  # fmt: skip
    table.add_section()
    if "corrections" in document:
        table.add_row("", "corrections of earlier months", "", "", grouped(document["corrections"]["total"]))
    table.add_row("", "total", "", "", f"{grouped(document['total'])} {document['currency']}")
    console.print(table)
    _print_use(document, console)


def _print_use(document: dict[str, Any], console: Console) -> None:
    """What the held hours did, and what to do first, in a few lines below the lines that are charged."""
    held = document["held"]
    if not held["has_telemetry"]:
        console.print(f"held           {grouped(held['hours'])} GPU-hours, unmeasured: no telemetry, which is not idle")
        return
    states = " · ".join(f"{state['state']} {grouped(state['hours'])}" for state in held["states"])
    console.print(
        f"held           {grouped(held['hours'])} GPU-hours: {states}; telemetry saw {held['coverage_per_cent']} %"
    )
    for row in document["waste"]["rows"][:SHOWN_LOSSES]:
        first = f"{grouped(row['hours'])} GPU-hours {row['what']}: {row['workload_name']}"
        console.print(f"do first       {first}: {row['do_first']}", markup=False)
    waste = document["waste"]
    if waste["gpus_never_active"]:
        console.print(f"never active   {waste['gpus_never_active']} of {waste['gpus_measured']} GPUs of its runs")
