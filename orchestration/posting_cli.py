"""`chargeback post`, `reverse` and `tie-out`, as they are typed. Not here: what they do (posting.py)."""

import sys
from typing import Annotated

import typer

from orchestration.command_options import Config

app = typer.Typer()

Output = Annotated[str, typer.Option("--format", help="table or json.")]


@app.command()
def post(
    month: Annotated[str, typer.Argument(help="Month that is charged and certified, 2026-11.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be sent, and why not.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also what was reversed and did not change since.")] = False,
    output: Output = "table",
    config: Config = None,
) -> None:
    """Send a month's journal entries to the finance system, each once, whatever was cut short before."""
    from orchestration.posting import post_and_report

    sys.exit(post_and_report(month, dry_run=dry_run, again=again, output=output, config=config))


@app.command()
def reverse(
    document_key: Annotated[str, typer.Argument(help="Key of a document: gpu-cb:C1:2026-11:vision:allocation:r1.")],
    reason: Annotated[str, typer.Option(help="Why it is taken back; kept in the outbox.")],
    config: Config = None,
) -> None:
    """Take one document back as a whole, by a storno of its own."""
    from orchestration.posting import reverse_and_report

    sys.exit(reverse_and_report(document_key, reason=reason, config=config))


@app.command(name="tie-out")
def tie_out(
    month: Annotated[str, typer.Argument(help="Month, 2026-11.")],
    output: Output = "table",
    config: Config = None,
) -> None:
    """Hold what the finance system has against what was sent, per account and document."""
    from orchestration.posting import tie_out_and_report

    sys.exit(tie_out_and_report(month, output=output, config=config))
