"""`chargeback preflight`: what must hold before the first bill, tried for real. Without a flag everything is tried."""

from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def preflight(
    storage: Annotated[
        bool, typer.Option("--storage", help="Whether the lake's store keeps what it confirms.")
    ] = False,
    commits: Annotated[int | None, typer.Option(min=10, help="Delta commits of each writer; default: 40.")] = None,
    writers: Annotated[int | None, typer.Option(min=2, max=16, help="Writers at once; default: 2.")] = None,
    config: Config = None,
) -> None:
    """Try whether the lake's store can be trusted with money, and record it: on S3, `bill` asks for that."""
    from orchestration.preflight_report import preflight_storage

    asked = {preflight_storage: storage}
    for check in [check for check, is_asked in asked.items() if is_asked] or list(asked):
        check(config, commits=commits, writers=writers)
