"""`chargeback gate` and `chargeback status`, as they are typed. Not here: what they do (gate.py, month_status.py)."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def gate(
    month: Annotated[str, typer.Argument(help="Month, 2026-10.")],
    every: Annotated[bool, typer.Option("--all", help="Also the checks that passed.")] = False,
    output: Annotated[str, typer.Option("--format", help="table, json or html.")] = "table",
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    config: Config = None,
) -> None:
    """Show what of a month passed the gate, what failed and why, and who must act."""
    from orchestration.gate import gate_and_report

    sys.exit(gate_and_report(month, every=every, output=output, to=to, config=config))
