"""One replay of the real dump: where each of its instants, job numbers and hosts goes.

Not here: which replays a month has (spread_month.py), and the formats of records (stretched_*.py).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

FACTOR = 347
"""One second of the dump lasts 347 seconds: its 233 seconds fill 22 hours and 27 minutes, less than a day."""

RACKS = 4

JOBS_PER_REPLAY = 100
"""More than the dump has job numbers or database indices."""

FIRST_DAY = date(2020, 1, 1)

TIME_FORMAT = "%Y-%m-%dT%H:%M:%S"

_RACK_STARTS = (
    timedelta(minutes=12, seconds=31),
    timedelta(hours=3, minutes=16, seconds=35),
    timedelta(hours=15, minutes=25, seconds=17),
    timedelta(hours=19, minutes=31, seconds=19),
)
"""When a rack begins its replay of a day. All but the first have jobs running at midnight, on the last day across the
month's end: a preemptible one of eight GPUs, two of eight at high priority, a slice that runs into its time limit."""

_HOST = re.compile(r"\b(?:a100|h100|mig|cpu)-(?=[\d\[])")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b")


@dataclass(frozen=True, slots=True)
class Replay:
    """The dump, replayed by one rack, begun on one day, its seconds FACTOR times as long.

    Stretching keeps every gap and every order, and a replay is shorter than a day: no host is given to two jobs.
    """

    day: date
    rack: int
    origin: datetime

    @property
    def starts(self) -> datetime:
        """When its first job is submitted."""
        return datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC) + _RACK_STARTS[self.rack]

    @property
    def first_number(self) -> int:
        """What is added to job numbers and database indices: the same number never comes twice."""
        return ((self.day - FIRST_DAY).days * RACKS + self.rack) * JOBS_PER_REPLAY

    def instant(self, text: str) -> datetime | None:
        """An instant of the dump in this replay; None for `Unknown` and `None`."""
        if not _TIME.fullmatch(text):
            return None
        return self.starts + FACTOR * (dump_instant(text) - self.origin)

    def renumbered(self, text: str) -> str:
        """`8_3` or `19+1` with its job number moved."""
        return re.sub(r"^\d+", lambda number: str(int(number[0]) + self.first_number), text)

    def renamed(self, text: str) -> str:
        """The text with this rack's host names: `a100-[1-2]` -> `r2-a100-[1-2]`."""
        return _HOST.sub(lambda host: f"r{self.rack + 1}-{host[0]}", text)

    def retimed(self, text: str) -> str:
        """The text with every instant in it moved."""
        return _TIME.sub(lambda time: printed(self.instant(time[0])), text)


def dump_instant(text: str) -> datetime:
    """An instant that the dump prints; its clock was UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def printed(instant: datetime | None) -> str:
    """As Slurm prints it with TZ=UTC."""
    return instant.strftime(TIME_FORMAT) if instant else "Unknown"
