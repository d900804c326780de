"""`chargeback inbox`: files what lies in incoming/ and says what became of it; `--refused` shows what was set aside."""

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from orchestration.inbox import file_incoming, inbox_of
from orchestration.workspace import open_workspace
from resources.inbox import REFUSED_PREFIX, Filed
from resources.settings import load_settings

AT_ONCE = 500
DONE, CANNOT_BE_MET = 0, 2


def file_and_report(config: Path | None, *, now: datetime | None = None) -> int:
    """File everything that can be, and tell. Returns the exit code: 2 if something was set aside."""
    workspace = open_workspace(load_settings(config), to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    has_set_aside = False
    landed = 0
    while True:
        filed = file_incoming(workspace, now=now or datetime.now(UTC), most=AT_ONCE)
        _tell(filed, console)
        landed += len(filed.landed)
        has_set_aside = has_set_aside or bool(filed.set_aside)
        if not filed.left or not (filed.landed or filed.set_aside):
            break
    for each in filed.waiting:
        console.print(f"{each.key} waits: {each.reason}", markup=False)
    if not landed and not has_set_aside and not filed.waiting:
        console.print("nothing lies in incoming/")
    return CANNOT_BE_MET if has_set_aside else DONE


def show_refused(config: Path | None) -> int:
    """Print what was set aside and why, the latest last."""
    workspace = open_workspace(load_settings(config), to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    refusals = inbox_of(workspace).refusals()
    if not refusals:
        console.print("nothing was set aside")
        return DONE
    table = Table(box=None, pad_edge=False)
    for title in ("dropped at", "as", "bytes", "why", f"kept below {REFUSED_PREFIX}"):
        table.add_column(title, justify="right" if title == "bytes" else "left", overflow="fold")
    for each in refusals:
        kept = each.kept_as.removeprefix(REFUSED_PREFIX) or "(left where it is)"
        table.add_row(
            f"{each.dropped_at:%Y-%m-%d %H:%MZ}", _plain(each.key), f"{each.size:,}", _plain(each.reason), kept
        )
    console.print(table)
    return DONE


def _tell(filed: Filed, console: Console) -> None:
    for landed in filed.landed:
        verb = "landed as" if landed.is_new else "was landed before as"
        console.print(f"{verb} {landed.key} ({landed.size:,} bytes)", markup=False)
    for each in filed.set_aside:
        console.print(f"{each.key} was set aside: {each.reason}", style="yellow", markup=False)


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
