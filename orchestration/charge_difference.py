"""`chargeback diff`: which lines of a month's charges differ between two states, by how much and why.

Not here: what states are called (charge_states.py), causes (chargeback/ledger/charge_causes.py).
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from chargeback.ledger.charge_causes import BETWEEN_MONTHS, WITHIN_A_MONTH, line_changes
from chargeback.ledger.charge_difference import difference_of_charges, render_difference_csv
from chargeback.ledger.statement_document import Document, month_before
from orchestration.asked_month import asked_month
from orchestration.charge_difference_tables import print_charge_difference
from orchestration.charge_states import NOW, charge_state
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv")


def show_charge_difference(
    month: str, before: str | None, after: str | None, *, output: str, config: Path | None
) -> None:
    """Print what differs. Raises SettingsRefused for an unknown format, month or state."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    document = charge_difference(month, before, after, workspace=workspace, now=datetime.now(UTC))
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(render_difference_csv(document))
    else:
        print_charge_difference(document, Console(soft_wrap=True, highlight=False))


def charge_difference(
    month: str, before: str | None, after: str | None, *, workspace: Workspace, now: datetime
) -> Document:
    """Two states of a month; one state against now; no state: the month before against this month, both as they stand.

    Raises SettingsRefused for an unknown month or state.
    """
    settings = workspace.settings
    asked_month(month, settings, now)
    earlier = month_before(month) if before is None else month
    then = charge_state(before or NOW, earlier, workspace)
    newer = charge_state(after or NOW, month, workspace)
    changes = line_changes(
        (then.lines, then.rated),
        (newer.lines, newer.rated),
        source=WITHIN_A_MONTH if earlier == month else BETWEEN_MONTHS,
        currency=settings.currency,
    )
    return difference_of_charges(
        changes, then.lines, newer.lines, states=(then.as_texts, newer.as_texts), currency=settings.currency
    )
