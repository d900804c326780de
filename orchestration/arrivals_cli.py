"""`chargeback arrivals`: what arriving objects requested and how soon, what waits, and what was set aside."""

from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def arrivals(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Latest requests to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="For scripts.")] = False,
    config: Config = None,
) -> None:
    """Show what arriving objects requested and how soon, what waits, and what was set aside with the reason."""
    from orchestration.arrivals_report import show_arrivals

    show_arrivals(limit=limit, as_json=as_json, config=config)
