"""The commands of the parallel month and of enforcement, as they are typed. Not here: what they do."""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import By, Config, Draft, Key, Reason

app = typer.Typer()


@app.command()
def parallel(
    month: Annotated[str, typer.Argument(help="Month beside finance's own figures, 2026-10.")],
    output: Annotated[str, typer.Option("--format", help="table, json, csv or html.")] = "table",
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    by: By = None,
    key: Key = None,
    reason: Reason = None,
    draft: Draft = None,
    config: Config = None,
) -> None:
    """Hold a month against finance's own figures, by cause; with --key or --draft: sign it off."""
    from orchestration.parallel import parallel_and_report

    parallel_and_report(month, output=output, to=to, by=by, key=key, reason=reason, draft=draft, config=config)


@app.command()
def enforcement(
    month: Annotated[str, typer.Argument(help="Month that would be charged, 2026-11.")],
    sponsor: Annotated[bool, typer.Option("--sponsor", help="Sign as the sponsor that teams are charged.")] = False,
    accept: Annotated[str | None, typer.Option(help="Cost centre whose owner accepts what the month shows.")] = None,
    by: By = None,
    key: Key = None,
    reason: Reason = None,
    draft: Draft = None,
    output: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    config: Config = None,
) -> None:
    """Say whether a month is charged, what is missing and who must act; or sign as sponsor or owner."""
    from orchestration.enforcement import enforcement_and_report

    enforcement_and_report(
        month, sponsor=sponsor, accept=accept, by=by, key=key, reason=reason, draft=draft, output=output,
        config=config,
    )  # fmt: skip
