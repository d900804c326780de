"""The days and months that may still change: begun, not before the lake's first day, in no closed month."""

from datetime import date, datetime, timedelta

from chargeback.billing_period import day_of
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.workspace import Workspace


def open_partitions(workspace: Workspace, now: datetime) -> tuple[list[str], list[str]]:
    """The open days and the open months at an instant, each in order: `2026-10-05`, `2026-10`."""
    settings, lake = workspace.settings, workspace.lake
    closed = lake.closed_months(RATED_USAGE) | lake.closed_months(TEAM_CHARGES)
    last = date.fromisoformat(day_of(now, settings.zone))
    begun = (settings.first_day + timedelta(days=n) for n in range((last - settings.first_day).days + 1))
    days = [day.isoformat() for day in begun if day.isoformat()[:7] not in closed]
    return days, list(dict.fromkeys(day[:7] for day in days))
