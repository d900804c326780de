"""The days and months that may still be computed: begun, not before the lake's first day.

A closed month is never computed again. Its days are, within the bounds of the corrections that follow from them: what
arrives late is worked into the tables of days as ever, and the difference is booked in an open month.
"""

from datetime import date, datetime, timedelta

from assets.closed_months import closed_months
from chargeback.billing_period import day_of
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.workspace import Workspace


def open_partitions(workspace: Workspace, now: datetime) -> tuple[list[str], list[str]]:
    """The days that may be computed and the open months at an instant, each in order: `2026-10-05`, `2026-10`."""
    settings, lake = workspace.settings, workspace.lake
    closing = lake.closed_months(RATED_USAGE) | lake.closed_months(TEAM_CHARGES)  # all its tables, or soon
    corrected = closed_months(lake)[-settings.corrections.look_back_months :]
    last = date.fromisoformat(day_of(now, settings.zone))
    begun = (settings.first_day + timedelta(days=n) for n in range((last - settings.first_day).days + 1))
    days = [day.isoformat() for day in begun if day.isoformat()[:7] in corrected or day.isoformat()[:7] not in closing]
    return days, [month for month in dict.fromkeys(day[:7] for day in days) if month not in closing]
