"""Days, hours and months of the billing calendar: local midnights, keyed in UTC, half-open.

A day may have 23, 23.5, 24, 24.5 or 25 hours; hour k begins k x 3600 s after local midnight and the last one is cut at
the day's end. Source: design.md 4, "Time".
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A half-open stretch of time in UTC."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> int:
        """Its length in whole seconds."""
        return int((self.end - self.start).total_seconds())

    def hours(self) -> list["Interval"]:
        """Its hours, counted from its start; the last one may be shorter."""
        starts = range(0, self.seconds, 3600)
        return [
            Interval(self.start + timedelta(seconds=at), min(self.start + timedelta(seconds=at) + HOUR, self.end))
            for at in starts
        ]


def local_midnight(day: date, zone: ZoneInfo) -> datetime:
    """The UTC instant at which a local day begins.

    Where the clock skips midnight, the day begins at the first instant that bears its date.
    """
    begins = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    while begins.astimezone(zone).date() < day:
        begins += timedelta(minutes=1)
    return begins


def day_interval(day: str, zone: ZoneInfo) -> Interval:
    """The local day `2026-10-05` as an interval."""
    first = date.fromisoformat(day)
    return Interval(local_midnight(first, zone), local_midnight(first + timedelta(days=1), zone))


def day_of(instant: datetime, zone: ZoneInfo) -> str:
    """The local day on which an instant falls."""
    return instant.astimezone(zone).date().isoformat()


def month_of(instant: datetime, zone: ZoneInfo) -> str:
    """The local month (`2026-10`) in which an instant falls."""
    return day_of(instant, zone)[:7]


def days_between(start: datetime, end: datetime, zone: ZoneInfo) -> list[str]:
    """The local days that a half-open interval touches; the day of its start if it is empty."""
    first = start.astimezone(zone).date()
    last = max(first, (end - timedelta(microseconds=1)).astimezone(zone).date())
    return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


def next_month(month: str) -> str:
    """`2026-12` -> `2027-01`."""
    year, number = int(month[:4]), int(month[5:7])
    return f"{year + number // 12}-{number % 12 + 1:02d}"


def last_day_of(month: str) -> date:
    """The last local day of `2026-10`: the date of what is booked in it."""
    return (date.fromisoformat(f"{month}-01") + timedelta(days=31)).replace(day=1) - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class BillingPeriod:
    """One billing month in one billing zone."""

    month: str
    zone: ZoneInfo

    @property
    def days(self) -> list[str]:
        """Its local days, in order."""
        first = date.fromisoformat(f"{self.month}-01")
        return [
            (first + timedelta(days=n)).isoformat()
            for n in range(31)
            if (first + timedelta(days=n)).isoformat()[:7] == self.month
        ]

    @property
    def interval(self) -> Interval:
        """From its first local midnight to the next month's."""
        days = self.days
        return Interval(day_interval(days[0], self.zone).start, day_interval(days[-1], self.zone).end)

    @property
    def previous(self) -> "BillingPeriod":
        """The month before."""
        first = date.fromisoformat(f"{self.month}-01")
        return BillingPeriod((first - timedelta(days=1)).isoformat()[:7], self.zone)
