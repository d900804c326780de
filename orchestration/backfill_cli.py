"""The command line of `chargeback backfill`; what it does is in backfill.py."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()

Config = Annotated[Path | None, typer.Option("--config", help="chargeback.toml to use; default: the one here.")]


@app.command()
def backfill(
    first_day: Annotated[str, typer.Argument(metavar="FROM", help="First day, 2026-10-03.")],
    last_day: Annotated[str, typer.Argument(metavar="TO", help="Last day, included.")],
    cluster: Annotated[list[str] | None, typer.Option(help="Only these clusters' days; default: all.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; default: one a core, at most 8.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="chargeback.toml to use; default: the one here.")
    ] = None,
) -> None:
    """Compute days again from landing, then their open months; show what changed. Given again, it goes on."""
    from orchestration.backfill_command import backfill_and_report

    sys.exit(backfill_and_report(first_day, last_day, clusters=cluster or [], workers=workers, to=to, config=config))
