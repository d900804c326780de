"""`chargeback land` and `chargeback inbox`: what others give, into landing/. A file of its own for each."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def land(
    files: Annotated[list[Path], typer.Argument(help="Extracts to keep for good.")],
    source: Annotated[str, typer.Option(help="slurm/sacct, slurm/nodes, rate-cards, ownership, ...")],
    cluster: Annotated[str | None, typer.Option(help="Cluster; not for rate cards, ownership and approvals.")] = None,
    extracted_at: Annotated[str | None, typer.Option(help="When it was extracted; default: the file's time.")] = None,
    config: Config = None,
) -> None:
    """Put extracts into landing/: immutable, and the same bytes only once."""
    from orchestration.land import land_files

    land_files(files, source=source, cluster=cluster, extracted_at=extracted_at, config=config)


@app.command()
def inbox(
    refused: Annotated[bool, typer.Option("--refused", help="Show what could not be filed, and why.")] = False,
    config: Config = None,
) -> None:
    """File what others dropped into incoming/, under any name; exits 2 if something could not be filed."""
    from orchestration.inbox_table import file_and_report, show_refused

    sys.exit(show_refused(config) if refused else file_and_report(config))
