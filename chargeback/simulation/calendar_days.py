"""The days that are simulated, as instants: whole seconds since 1970, UTC; and how a clock in a zone prints them.

Not here: what happens on them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

from chargeback.billing_period import day_interval

HOUR = 3600
MINUTE = 60

AFTER_MIDNIGHT = 90 * MINUTE
"""Every night's extracts are made an hour and a half after the day's end."""


@dataclass(frozen=True)
class SimulatedDays:
    """`count` local days from `first_day` on."""

    first_day: date
    count: int
    zone: ZoneInfo

    @cached_property
    def names(self) -> tuple[str, ...]:
        """`2026-10-01`, ..."""
        return tuple((self.first_day + timedelta(days=at)).isoformat() for at in range(self.count))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Start of every day, and the end of the last one."""
        intervals = [day_interval(name, self.zone) for name in self.names]
        return (*(seconds_of(interval.start) for interval in intervals), seconds_of(intervals[-1].end))

    @property
    def start(self) -> int:
        """Start of the first day."""
        return self.starts[0]

    @property
    def end(self) -> int:
        """End of the last day."""
        return self.starts[-1]

    @property
    def last_extract(self) -> int:
        """When everything is looked at for the last time."""
        return self.end + AFTER_MIDNIGHT

    def day_of(self, at: int) -> int:
        """Number of the day that an instant falls on; below 0 before the first, `count` or more after the last."""
        if at < self.start:
            return -1
        return next((number for number in range(self.count) if at < self.starts[number + 1]), self.count)

    def at(self, day: int, hour: float) -> int:
        """So many hours after the start of a day; days before the first and after the last have 24."""
        if day < 0:
            return self.start + day * 24 * HOUR + int(hour * HOUR)
        if day > self.count:
            return self.end + (day - self.count) * 24 * HOUR + int(hour * HOUR)
        return self.starts[day] + int(hour * HOUR)

    @cached_property
    def repeated_hours(self) -> tuple[tuple[int, int], ...]:
        """Stretches of time in which the clock of the zone shows what it shows twice."""
        return tuple(
            (turn - HOUR, turn + HOUR)
            for turn in range(self.start - 2 * 24 * HOUR, self.end + 2 * 24 * HOUR, HOUR)
            if self._offset(turn) < self._offset(turn - 1)
        )

    def is_read_once(self, at: int) -> bool:
        """Whether the clock shows that instant's local time only once."""
        return not any(begins <= at < ends for begins, ends in self.repeated_hours)

    @cached_property
    def clock_change(self) -> int | None:
        """The first change of the clock in these days."""
        turns = range(self.start + HOUR, self.end, HOUR)
        return next((turn for turn in turns if self._offset(turn) != self._offset(turn - 1)), None)

    def local_hour(self, at: int) -> int:
        """What the clock of the zone shows then, in full hours."""
        offset = self._offset_of_hour(at // HOUR)
        return (at + offset) // HOUR % 24

    @cached_property
    def _offset_of_hour(self) -> Callable[[int], int]:
        """Full hours since 1970 -> seconds that the clock is ahead of UTC; looked up once an hour."""
        return lru_cache(maxsize=1024)(lambda hour: int(self._offset(hour * HOUR).total_seconds()))

    def _offset(self, at: int) -> timedelta:
        return instant_of(at).astimezone(self.zone).utcoffset() or timedelta(0)


def seconds_of(instant: datetime) -> int:
    """Whole seconds since 1970."""
    return int(instant.timestamp())


def instant_of(at: int) -> datetime:
    """The instant as a datetime in UTC."""
    return datetime.fromtimestamp(at, UTC)


def naive(at: int | None, zone: ZoneInfo) -> str:
    """As Slurm prints it: local, without an offset; `Unknown` where there is none."""
    return "Unknown" if at is None else instant_of(at).astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")


def zulu(at: int) -> str:
    """As Kubernetes prints it."""
    return instant_of(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def candidates(earliest: int, latest: int, *, step: int = 10 * MINUTE) -> Iterator[int]:
    """Instants at which something may be tried."""
    return iter(range(earliest, latest, step))
