"""`chargeback top`: who loses most GPU-hours in a month, with owner and what to do first; or what nobody held.

Not here: what is lost and how it is ranked (chargeback/ledger), how it is printed (top_tables.py).
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from rich.console import Console

from assets.materialisation import Month, month_called
from assets.quota import quota_of_month
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.ledger.exceptions import unheld_activity
from chargeback.ledger.node_sizes import node_sizes, with_node_sizes
from chargeback.ledger.statement_document import Document
from chargeback.ledger.top_lists import (
    BY,
    EXCEPTIONS,
    WORKLOADS,
    render_top_csv,
    top_exceptions,
    top_groups,
    top_workloads,
)
from orchestration.top_tables import print_top
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv")


def show_top(month: str | None, *, team: str | None, by: str, limit: int, output: str, config: Path | None) -> None:
    """Print the list. Raises SettingsRefused for an unknown grouping, format, month or team."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    document = top_document(month, team=team, by=by, limit=limit, workspace=workspace, now=datetime.now(UTC))
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(render_top_csv(document, by=by))
    else:
        print_top(document, Console(soft_wrap=True, highlight=False))


def top_document(
    month: str | None, *, team: str | None, by: str, limit: int, workspace: Workspace, now: datetime
) -> Document:
    """The list as texts. Without a month: the latest that was billed. Raises SettingsRefused."""
    one_of(by, BY, "--by")
    if limit < 1:
        raise SettingsRefused(f"--limit {limit}: must be 1 or more")
    chosen = month_called(month, workspace.settings) if month else latest_billed_month(workspace, now)
    common = {"month": chosen.period.month, "by": by, "team": team or "", "currency": workspace.settings.currency_code}
    if by == EXCEPTIONS:
        if team:
            raise SettingsRefused("--team: what nobody held belongs to no team; leave it out with --by exceptions")
        read = {
            table.table: workspace.lake.scan(table, chosen.days_of(table))
            for table in (UNALLOCATED_ACTIVITY, RAW_WORKLOADS, RUNS)
        }
        unheld = unheld_activity(read["unallocated_activity"].frame)
        quota = quota_of_month(read["raw_workloads"], read["runs"], chosen)
        return {**common, **top_exceptions(unheld, quota, limit=limit)}
    rated = _of_team(_rated(chosen, workspace), team, chosen)
    if by == WORKLOADS:
        decimals = workspace.settings.currency.minor_units
        return {**common, **top_workloads(rated, limit=limit, cost_decimals=decimals)}
    capacity = workspace.lake.scan(CAPACITY, chosen.days_of(CAPACITY)).frame
    sized = with_node_sizes(rated.lazy(), node_sizes(capacity, zone=workspace.settings.zone))
    return {**common, **top_groups(sized.collect(), by=by, limit=limit)}


def _rated(month: Month, workspace: Workspace) -> pl.DataFrame:
    scanned = workspace.lake.scan(RATED_USAGE, [month.partition])
    if scanned.missing:
        raise SettingsRefused(f"{month.period.month} was not billed yet: chargeback bill {month.period.month}")
    return scanned.frame.collect()


def _of_team(rated: pl.DataFrame, team: str | None, month: Month) -> pl.DataFrame:
    if team is None:
        return rated
    own = rated.filter(pl.col("team").str.to_lowercase() == team.lower())
    if own.is_empty():
        known = ", ".join(sorted(rated["team"].unique())) or "none"
        raise SettingsRefused(f"team {team!r} held nothing in {month.period.month}; there are: {known}")
    return own


def latest_billed_month(workspace: Workspace, now: datetime) -> Month:
    """The newest month that has rated usage, looked for from the running one backwards. Raises SettingsRefused."""
    settings = workspace.settings
    period = BillingPeriod(now.astimezone(settings.zone).date().isoformat()[:7], settings.zone)
    months = []
    while period.month >= settings.first_day.isoformat()[:7]:
        months.append(Partition.of_month(period.month))
        period = period.previous
    billed = workspace.lake.states(RATED_USAGE, months)
    if not billed:
        raise SettingsRefused(f"no month was billed yet: chargeback bill {settings.first_day.isoformat()[:7]}")
    return month_called(max(billed), settings)
