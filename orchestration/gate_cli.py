"""`chargeback gate`, `status`, `notify`, `object` and `answer`, as they are typed. Not here: what they do."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.command_options import By, Config, Draft, Key, Reason

app = typer.Typer()


@app.command()
def gate(
    month: Annotated[str, typer.Argument(help="Month, 2026-10.")],
    every: Annotated[bool, typer.Option("--all", help="Also the checks that passed.")] = False,
    output: Annotated[str, typer.Option("--format", help="table, json or html.")] = "table",
    to: Annotated[Path | None, typer.Option(help="Write the page to this file instead of into the lake.")] = None,
    waive: Annotated[str | None, typer.Option(help="Check whose findings finance lets pass in this month.")] = None,
    until: Annotated[str | None, typer.Option(help="When the waiver ends, 2026-12-01T00:00:00Z.")] = None,
    by: By = None,
    key: Key = None,
    reason: Reason = None,
    draft: Draft = None,
    config: Config = None,
) -> None:
    """Show what of a month passed the gate, what failed and why, and who must act; or waive what stops nothing."""
    from orchestration.gate import gate_and_report, waive_findings

    if waive is not None:
        waive_findings(month, waive, until=until, by=by, key=key, reason=reason, draft=draft, config=config)
        return
    sys.exit(gate_and_report(month, every=every, output=output, to=to, config=config))


@app.command()
def status(
    month: Annotated[str | None, typer.Argument(help="Month, 2026-10; default: the one that ended last.")] = None,
    output: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    config: Config = None,
) -> None:
    """Show where a month stands, when each stage is due, what is missing, and who must act."""
    from orchestration.month_status import status_and_report

    status_and_report(month, output=output, config=config)


@app.command()
def notify(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be said.")] = False,
    config: Config = None,
) -> None:
    """Tell people once what they must act on: late stages, objections, documents without an answer."""
    from orchestration.notify import notify_and_report

    sys.exit(notify_and_report(dry_run=dry_run, config=config))


@app.command(name="object")
def object_to(
    month: Annotated[str, typer.Argument(help="Month, 2026-10.")],
    about: Annotated[str, typer.Argument(help="Line id of its statement, or team.")],
    by: By = None,
    key: Key = None,
    reason: Reason = None,
    draft: Draft = None,
    config: Config = None,
) -> None:
    """Object to a line or a statement; finance must answer before the month is sent."""
    from orchestration.month_status import object_to as objected

    objected(month, about, by=by, key=key, reason=reason, draft=draft, config=config)


@app.command()
def answer(
    month: Annotated[str, typer.Argument(help="Month, 2026-10.")],
    about: Annotated[str, typer.Argument(help="What was objected to: a line id or a team.")],
    by: By = None,
    key: Key = None,
    reason: Reason = None,
    draft: Draft = None,
    config: Config = None,
) -> None:
    """Answer an objection, for finance."""
    from orchestration.month_status import answer as answered

    answered(month, about, by=by, key=key, reason=reason, draft=draft, config=config)
