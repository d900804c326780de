"""`chargeback rerate` at the terminal: who pays how much more or less; without --dry-run the runs, and an exit code."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from chargeback.ledger.rerating import render_rerating_csv
from chargeback.ledger.rerating_page import render_rerating
from chargeback.ledger.statement_document import Document
from orchestration.bill_command import DONE, exit_code_of
from orchestration.progress import TerminalProgress
from orchestration.rate_card_file import card_of_file
from orchestration.rerate import RerateOutcome, candidate, rerate
from orchestration.rerate_tables import print_rerating
from orchestration.workspace import open_workspace
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv", "html")
RENDERED = {"csv": render_rerating_csv, "html": render_rerating}


def rerate_and_report(
    month: str | None, *, dry_run: bool, card: Path | None, output: str, workers: int | None, config: Path | None
) -> int:
    """Print who pays what; then, unless it is a dry run, compute the open months again.

    0 when done, 1 when the gate refused a month, 3 when a run stopped for another reason. Raises SettingsRefused for an
    unknown format, month or file, PeopleRefused with every reason for a card that is refused.
    """
    one_of(output, FORMATS, "--format")
    if card is not None and not dry_run:
        raise SettingsRefused(
            f"--card {card}: only a card that landed prices anything; look at it with --dry-run, then "
            f"`chargeback rate-card publish {card}`"
        )
    workspace = open_workspace(load_settings(config), to_read=dry_run)
    said = candidate(month, card_of_file(card) if card else None, workspace=workspace, now=datetime.now(UTC))
    console = Console(soft_wrap=True, highlight=False)
    _show(said.document, output, console)
    if dry_run:
        return DONE
    with TerminalProgress(Console(stderr=True, soft_wrap=True, highlight=False)) as progress:
        outcome = rerate(
            said.open_months, workspace=workspace, settings_file=config, progress=progress, workers=workers
        )
    _told(outcome, console if output == "table" else Console(stderr=True, soft_wrap=True, highlight=False))
    return exit_code_of(failures=outcome.failures, refused=outcome.refused)


def _show(document: Document, output: str, console: Console) -> None:
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output in RENDERED:
        sys.stdout.buffer.write(RENDERED[output](document))
    else:
        print_rerating(document, console)


def _told(outcome: RerateOutcome, console: Console) -> None:
    months = ", ".join(run.partition for run in outcome.runs if run.succeeded)
    console.print(f"computed again {months or 'no month'}", markup=False)
    for what, reasons in (("refused", outcome.refused), ("stopped", outcome.failures)):
        for reason in reasons:
            console.print(f"{what:<15}{reason}", style="red", markup=False)
