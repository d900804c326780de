"""When the suspense of a month falls due, and whether it is by now.

The answer is an input of what rests on it, so that a table says which it had.
"""

from datetime import UTC, date, datetime, timedelta

from chargeback.billing_period import BillingPeriod, local_midnight
from resources.settings import Settings


def suspense_due_day(period: BillingPeriod, settings: Settings) -> date | None:
    """The first local day on which the platform bears what nobody claimed; None where it never does.

    `suspense_due_days` after the month's end, or the next day that is worked: nobody is late on a holiday.
    """
    days = settings.policies.suspense_due_days
    if not days:
        return None
    after_month = period.interval.end.astimezone(settings.zone).date()
    return settings.calendar.working_days.on_or_after(after_month + timedelta(days=days))


def is_suspense_due(period: BillingPeriod, settings: Settings, *, at: datetime | None = None) -> bool:
    """Whether that day has begun, now or at another instant."""
    due = suspense_due_day(period, settings)
    return due is not None and (at or datetime.now(UTC)) >= local_midnight(due, settings.zone)
