"""One replay of the real dump: where each of its instants, job numbers and hosts goes.

Not here: which replays a month has (spread_month.py), and the formats of records (stretched_*.py).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

FACTOR = 347
"""One second of the dump lasts 347 seconds: its 233 seconds fill 22 hours and 27 minutes, less than a day."""

JOBS_PER_REPLAY = 100
"""More than the dump has job numbers or database indices."""

FIRST_DAY = date(2020, 1, 1)

TIME_FORMAT = "%Y-%m-%dT%H:%M:%S"

TURNS = (
    (1, timedelta(hours=3, minutes=16, seconds=35)),
    (1, timedelta(hours=12, minutes=26)),
    (2, timedelta(hours=19, minutes=31, seconds=19)),
    (2, timedelta(hours=4, minutes=40, seconds=44)),
)
"""Rack and hour of the replays of a day. The two of a rack are 95 seconds of the dump apart: then what fills a host in
the one falls where the other leaves it empty. At midnight, so at the month's end too, the first has a preemptible job
on eight GPUs and the third a slice that will run into its time limit."""

TURNS_AT_WEEKENDS = (0, 2)

_HOST = re.compile(r"\b(?:a100|h100|mig|cpu)-(?=[\d\[])")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b")


@dataclass(frozen=True, slots=True)
class Replay:
    """The dump, replayed in one of the TURNS of a day, its seconds FACTOR times as long.

    Stretching keeps every gap and every order; a replay is shorter than a day, so it never meets its own next one.
    """

    day: date
    turn: int
    origin: datetime

    @property
    def rack(self) -> int:
        """Whose hosts it runs on."""
        return TURNS[self.turn][0]

    @property
    def starts(self) -> datetime:
        """When its first job is submitted."""
        return datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC) + TURNS[self.turn][1]

    @property
    def first_number(self) -> int:
        """What is added to job numbers and database indices: the same number never comes twice."""
        return ((self.day - FIRST_DAY).days * len(TURNS) + self.turn) * JOBS_PER_REPLAY

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
        return _HOST.sub(lambda host: f"r{self.rack}-{host[0]}", text)

    def retimed(self, text: str) -> str:
        """The text with every instant in it moved."""
        return _TIME.sub(lambda time: printed(self.instant(time[0])), text)


def dump_instant(text: str) -> datetime:
    """An instant that the dump prints; its clock was UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def printed(instant: datetime | None) -> str:
    """As Slurm prints it with TZ=UTC."""
    return instant.strftime(TIME_FORMAT) if instant else "Unknown"
