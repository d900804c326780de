"""`chargeback close`, as it is typed. Not here: what it does (close.py)."""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()


@app.command()
def close(
    month: Annotated[str, typer.Argument(help="Month that is over and certified, 2026-10.")],
    by: Annotated[str | None, typer.Option("--by", help="Who prepares the closing; may not approve it.")] = None,
    key: Annotated[Path | None, typer.Option("--key", help="File of the controller's private key.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; printed wherever the approval is.")] = None,
    draft: Annotated[Path | None, typer.Option(help="Only write the record that the controller signs.")] = None,
    config: Config = None,
) -> None:
    """Close a month for good: no table of it changes any more; what comes later is a correction in an open month."""
    from orchestration.close import close_and_report

    close_and_report(month, by=by, key=key, reason=reason, draft=draft, config=config)
