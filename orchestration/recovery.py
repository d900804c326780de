"""`chargeback recovery`: the recovery ledger of a month or a fiscal year, as table, JSON or CSV.

Not here: the figures (chargeback/ledger), how they are printed (recovery_tables.py).
"""

import json
import re
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
from rich.console import Console

from chargeback.contracts.partition import Partition
from chargeback.contracts.recovery import RECOVERY
from chargeback.ledger.fiscal_year import fiscal_year_of, months_of_fiscal_year
from chargeback.ledger.recovery_report import proposed_carry_forward, recovery_report, render_recovery_csv
from chargeback.pricing.card_fields import MONTH
from orchestration.recovery_tables import print_recovery
from orchestration.top import latest_billed_month
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv")
_FISCAL_YEAR = re.compile(r"FY\d{4}")


def show_recovery(period: str | None, *, output: str, config: Path | None) -> None:
    """Print it. Raises SettingsRefused for an unknown format, a period that is none, or one that was not billed."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    settings = workspace.settings
    name = period or latest_billed_month(workspace, datetime.now(UTC)).period.month
    rows = recovery_of(name, workspace)
    report = recovery_report(rows, name=name, currency=settings.currency, tax=settings.recovery.tax)
    if output == "csv":
        sys.stdout.buffer.write(render_recovery_csv(rows))
    elif output == "json":
        sys.stdout.write(json.dumps(report, ensure_ascii=False, sort_keys=True) + "\n")
    else:
        print_recovery(report, Console(soft_wrap=True, highlight=False))


def recovery_of(name: str, workspace: Workspace) -> pl.DataFrame:
    """contracts.recovery of a month or of the billed months of a fiscal year. Raises SettingsRefused."""
    first_month = workspace.settings.calendar.fiscal_year_first_month
    if _FISCAL_YEAR.fullmatch(name):
        months = months_of_fiscal_year(name, first_month=first_month)
    elif MONTH.fullmatch(name):
        months = [name]
    else:
        raise SettingsRefused(f"{name!r} is neither a month nor a fiscal year: write 2026-10 or FY2026")
    partitions = [Partition.of_month(month) for month in months]
    billed = workspace.lake.states(RECOVERY, partitions)
    if not billed:
        raise SettingsRefused(f"{name} has no recovery ledger yet: chargeback bill {months[0]}")
    present = [partition for partition in partitions if partition.key in billed]
    return workspace.lake.scan(RECOVERY, present).frame.collect()


def latest_carry_forward(workspace: Workspace, month: str) -> tuple[str, dict[str, Decimal]]:
    """The newest fiscal year up to a month that has a recovery ledger, and what it proposes to carry forward.

    The year of the month or the one before it; no ledger in either proposes nothing.
    """
    first_month = workspace.settings.calendar.fiscal_year_first_month
    this_year = fiscal_year_of(month, first_month=first_month)
    for name in (this_year, f"FY{int(this_year[2:]) - 1:04d}"):
        partitions = [Partition.of_month(each) for each in months_of_fiscal_year(name, first_month=first_month)]
        if workspace.lake.states(RECOVERY, partitions):
            return name, dict(proposed_carry_forward(recovery_of(name, workspace)))
    return "", {}
