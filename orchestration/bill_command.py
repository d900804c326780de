"""`chargeback bill` at the terminal: progress, then what came out and where to look, then the exit code."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from orchestration.bill import bill_month
from orchestration.progress import TerminalProgress
from orchestration.summary import print_summary
from orchestration.workspace import open_workspace
from resources.settings import load_settings

DONE, REFUSED, STOPPED = 0, 1, 3


def bill_and_report(month: str, *, clusters: list[str], workers: int | None, again: bool, config: Path | None) -> int:
    """Bill and print; 0 when published, 1 when the gate refused, 3 when a run stopped for another reason."""
    workspace = open_workspace(load_settings(config))
    console = Console(soft_wrap=True, highlight=False)
    with TerminalProgress(console) as progress:
        outcome = bill_month(
            month,
            workspace=workspace,
            settings_file=config,
            progress=progress,
            now=datetime.now(UTC),
            clusters=clusters,
            workers=workers,
            again=again,
        )
    print_summary(outcome, workspace, console)
    return exit_code_of(failures=outcome.failures, refused=outcome.refused)


def exit_code_of(*, failures: Sequence[str], refused: Sequence[str]) -> int:
    """0 when done, 1 when the gate refused a month, 3 when a run stopped for another reason."""
    if failures:
        return STOPPED
    return REFUSED if refused else DONE
