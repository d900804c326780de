"""`chargeback statement`: a team's statement of a month as table, JSON, CSV or page; a preview until published."""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from chargeback.contracts.partition import Partition
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from orchestration.bill import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings

FORMATS = ("table", "json", "csv", "html")


def show_statement(team: str, month: str, *, output: str, config: Path | None) -> None:
    """Print the statement. Raises SettingsRefused for an unknown format, team or month."""
    if output not in FORMATS:
        raise SettingsRefused(f"--format {output!r}: must be one of {', '.join(FORMATS)}")
    document = statement_document(team, month, open_workspace(load_settings(config)))
    if output == "table":
        _print(json.loads(document))
    elif output == "json":
        sys.stdout.write(document + "\n")
    else:
        sys.stdout.buffer.write(render_lines_csv(document) if output == "csv" else render_page(document))


def statement_document(team: str, month: str, workspace: Workspace) -> str:
    """The statement's content. Raises SettingsRefused, naming the teams that have one."""
    rows = workspace.lake.scan(STATEMENTS, [Partition.of_month(month)]).frame.select("team", "document").collect()
    found = rows.filter(pl.col("team").str.to_lowercase() == team.lower())
    if found.is_empty():
        known = ", ".join(sorted(rows["team"])) or "none; bill the month first"
        raise SettingsRefused(f"no statement of team {team!r} for {month}; there are: {known}")
    return str(found["document"][0])


def _print(document: dict[str, Any]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    table = Table(
        title=f"GPU statement · {document['team']} · {document['month']} · {document['statement_id']}",
        title_justify="left",
    )
    for name, side in (("line", "left"), ("what", "left"), ("hours", "right"), ("rate", "right"), ("amount", "right")):
        table.add_column(name, justify=side, no_wrap=name == "line")  # type: ignore[arg-type]
    for line in document["lines"]:
        table.add_row(line["line_id"], line["name"], line["hours"], line["price"], line["amount"])
    table.add_section()
    table.add_row("", "total", "", "", f"{document['total']} {document['currency']}")
    console.print(table)
