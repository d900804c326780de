"""The command `chargeback recovery`."""

from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def recovery(
    period: Annotated[
        str | None, typer.Argument(help="Month, 2026-10, or fiscal year, FY2026; default: the latest month billed.")
    ] = None,
    output: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
    config: Config = None,
) -> None:
    """Show what the GPUs cost, what of it was recovered and where the rest went; and a million GPU-hours of work."""
    from orchestration.recovery import show_recovery

    show_recovery(period, output=output, config=config)
