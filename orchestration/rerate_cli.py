"""The command `chargeback rerate`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def rerate(
    month: Annotated[str | None, typer.Argument(help="Billing month, 2026-10; default: all.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say who would pay what; nothing is written.")
    ] = False,
    card: Annotated[Path | None, typer.Option("--card", help="A card's YAML; default: those that landed.")] = None,
    output: Annotated[str, typer.Option("--format", help="table, json, csv or html.")] = "table",
    workers: Annotated[int | None, typer.Option(help="Worker processes; default: one a core.")] = None,
    config: Config = None,
) -> None:
    """Say who pays how much more or less at a card, and compute the open months again whose rates it changes."""
    from orchestration.rerate_command import rerate_and_report

    sys.exit(rerate_and_report(month, dry_run=dry_run, card=card, output=output, workers=workers, config=config))
