"""The command line of `chargeback backfill`; what it does is in backfill.py."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def backfill(
    first_day: Annotated[str, typer.Argument(metavar="FROM", help="First day, 2026-10-03.")],
    last_day: Annotated[str, typer.Argument(metavar="TO", help="Last day, included.")],
    cluster: Annotated[list[str] | None, typer.Option(help="Only these clusters' days; default: all.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; default: one a core, at most 8.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    config: Config = None,
) -> None:
    """Compute days again from landing, then their open months; show what changed. Given again, it goes on."""
    from orchestration.backfill_command import backfill_and_report

    sys.exit(backfill_and_report(first_day, last_day, clusters=cluster or [], workers=workers, to=to, config=config))
