"""The command `chargeback focus`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def focus(
    month: Annotated[str, typer.Argument(help="Billing month, 2026-10.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, .csv or .parquet.")],
    focus_version: Annotated[str, typer.Option("--focus-version", help="1.2, 1.3 or 1.4.")] = "1.3",
    dataset: Annotated[
        str, typer.Option("--dataset", help="cost-and-usage; of 1.4 also invoice-detail and billing-period.")
    ] = "cost-and-usage",
    config: Config = None,
) -> None:
    """Write a certified month as a FOCUS file; a closed one says that it is closed."""
    from orchestration.focus import write_focus

    sys.exit(write_focus(month, version=focus_version, dataset=dataset, out=out, config=config))
