"""The command `chargeback corrections`, as it is typed. Not here: what it does (correction_desk.py)."""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def corrections(
    month: Annotated[str, typer.Argument(help="Month that books them, 2026-11.")],
    draft: Annotated[Path | None, typer.Option(help="Only write the record that the controller signs.")] = None,
    reason: Annotated[str | None, typer.Option(help="Of the draft: why these corrections are right.")] = None,
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
    config: Config = None,
) -> None:
    """Show what a month corrects of closed ones, what of it waits, and who must act; write what is to be signed."""
    from orchestration.correction_desk import corrections_and_report

    corrections_and_report(month, draft=draft, reason=reason, output=output, config=config)
