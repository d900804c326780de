"""What the looks of one sensor share: the open lake, the rules that it asks, the time that it has, what it sets aside.

Not here: how arrivals are noticed (sqs.py, listing.py, reconcile.py) and requested (arrivals.py).
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_reading import ReadAhead
from orchestration.touched import Touched
from orchestration.workspace import Workspace, open_workspace
from resources.inbox import Filed
from resources.landing import LandedObject, landed_of
from resources.object_store import ObjectStore, StoredObject
from resources.settings import Settings

SECONDS_A_LOOK = 25
"""No new batch is begun later: Dagster ends a sensor's tick after 60 s."""

FEWEST_AT_ONCE, FIRST_AT_ONCE, MOST_AT_ONCE = 256, 1024, 4096
"""Objects asked about together. An answer costs by the days that they speak of more than by their number."""

MOST_FILED = 50
SECONDS_OF_FILING = 10
"""No new files are taken from incoming/ later in a look, so that what landed has its turn however many are dropped."""

REOPEN_AFTER_SECONDS, REOPEN_AFTER_OBJECTS = 600, 5_000
REFUSED = "events-refused/"
MISNAMED = (
    "its name is none that landing gives: nobody reads it. Drop the file into incoming/, or land it by: chargeback land"
)


class FileIncoming(Protocol):
    """orchestration.inbox.file_incoming."""

    def __call__(self, workspace: Workspace, *, now: datetime, most: int) -> Filed:
        """File what lies in incoming/."""


class TouchedPartitions(Protocol):
    """orchestration.touched.touched_partitions."""

    def __call__(self, arrived: Sequence[LandedObject], *, workspace: Workspace, now: datetime) -> Touched:
        """What landed objects ask for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a look asks. `reads_ahead`: whether an answer needs all objects of a source to be read."""

    file_incoming: FileIncoming
    touched_partitions: TouchedPartitions
    reads_ahead: bool = True


class Pace:
    """How many objects are looked at together, and until when."""

    def __init__(self, at_once: int = FIRST_AT_ONCE) -> None:
        self._begun = time.monotonic()
        self._last = 0.0
        self.at_once = at_once

    @property
    def seconds(self) -> float:
        """Since the look began."""
        return time.monotonic() - self._begun

    @property
    def has_time(self) -> bool:
        """Whether another batch as long as the last one still fits."""
        return self.seconds + self._last < SECONDS_A_LOOK

    def took(self, seconds: float) -> None:
        """A batch took so long: the next one is larger or smaller."""
        self._last = seconds
        if seconds < 4:
            self.at_once = min(MOST_AT_ONCE, self.at_once * 2)
        elif seconds > 15:
            self.at_once = max(FEWEST_AT_ONCE, self.at_once // 2)


@dataclass(slots=True)
class Look:
    """What one look came to, for its log."""

    arrived: int = 0
    repeated: int = 0
    ignored: int = 0
    changed_nothing: int = 0
    outside_calendar: int = 0
    filed: int = 0
    in_incoming: int = 0
    unread: int = 0
    compared: int = 0
    uncompared: int = 0
    set_aside: list[str] = field(default_factory=list)

    def told(self) -> str:
        """One line, of what is not zero."""
        counts = {
            "arrived": self.arrived,
            "told again": self.repeated,
            "asked for nothing": self.ignored,
            "changed nothing": self.changed_nothing,
            "outside the calendar": self.outside_calendar,
            "filed from incoming": self.filed,
            "left in incoming": self.in_incoming,
            "set aside": len(self.set_aside),
            "held against the raw tables": self.compared,
            "of the same source left to the next look": self.uncompared,
            "not asked about yet, since their sources are still being read": self.unread,
        }
        return ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing arrived"


class Desk:
    """One sensor's, kept as long as its process: opening a lake takes longer than looking at it."""

    def __init__(self, settings: Settings, rules: Rules | None = None) -> None:
        self.settings = settings
        self._rules = rules
        self._workspace: Workspace | None = None
        self._ahead: ReadAhead | None = None
        self._opened_at = 0.0
        self._objects = 0

    @property
    def rules(self) -> Rules:
        """The rules; the product's own are imported at the first look, not when definitions load."""
        if self._rules is None:
            from orchestration.inbox import file_incoming
            from orchestration.touched import touched_partitions

            self._rules = Rules(file_incoming, touched_partitions)
        return self._rules

    def workspace(self) -> Workspace:
        """The open lake, opened anew after ten minutes or some thousand objects, so that it keeps little in memory."""
        is_old = time.monotonic() - self._opened_at > REOPEN_AFTER_SECONDS or self._objects > REOPEN_AFTER_OBJECTS
        if self._workspace is None or is_old:
            self._workspace = open_workspace(self.settings)
            self._ahead = ReadAhead(self._workspace)
            self._opened_at, self._objects = time.monotonic(), 0
        return self._workspace

    def file_incoming(self, look: Look, pace: Pace, *, now: datetime) -> list[LandedObject]:
        """File what lies in incoming/, as long as there is time. Returns what is new in landing."""
        landed: list[LandedObject] = []
        while True:
            begun = pace.seconds
            filed = self.rules.file_incoming(self.workspace(), now=now, most=MOST_FILED)
            pace.took(pace.seconds - begun)
            landed += [each for each in filed.landed if each.is_new]
            look.filed += len(filed.landed)
            look.set_aside += [f"{each.key}: {each.reason}" for each in filed.set_aside]
            look.in_incoming = len(filed.waiting) + filed.left
            is_stuck = not (filed.landed or filed.set_aside)
            if not filed.left or is_stuck or pace.seconds > SECONDS_OF_FILING:
                return landed

    def ask(self, stored: Mapping[str, StoredObject], arrived: Mapping[str, Arrived], requests: Requests, look: Look,
            pace: Pace, *, now: datetime) -> bool:  # fmt: skip
        """Ask which partitions these objects of landing/ touch, and let them wait. What nobody can use is set aside.

        False, and nothing is done, if there was no time to read all that the answer needs: the next look goes on.
        """
        known = {key: landed_of(each) for key, each in stored.items()}
        touched = self.touched([each for each in known.values() if each], pace, now=now)
        if touched is None:
            look.unread += len(stored)
            return False
        look.arrived += len(stored)
        look.changed_nothing += len(touched.changed_nothing)
        look.outside_calendar += requests.want(touched, arrived, now=now)
        misnamed = {key: MISNAMED for key, each in known.items() if each is None}
        for key, reason in {**misnamed, **touched.refused}.items():
            self.set_aside(look, reason=reason, about=key)
        return True

    def touched(self, landed: Sequence[LandedObject], pace: Pace, *, now: datetime) -> Touched | None:
        """As the rule says; None if there was no time to read what it needs.

        Where it refuses some of several objects, each of these is asked about alone, so that none suffers for another.
        """
        begun = pace.seconds
        workspace, rule = self.workspace(), self.rules.touched_partitions
        if not self.has_read(landed, pace):
            return None
        touched = rule(landed, workspace=workspace, now=now)
        doubtful = [each for each in landed if each.key in touched.refused]
        if len(doubtful) > 1:
            alone = [rule([each], workspace=workspace, now=now) for each in doubtful]
            touched = _joined([touched, *alone], {key: why for each in alone for key, why in each.refused.items()})
        self._objects += len(landed)
        pace.took(pace.seconds - begun)
        return touched

    def has_read(self, landed: Sequence[LandedObject], pace: Pace) -> bool:
        """Read all objects of the sources of some, where the rules need it; False if there was no time for it."""
        self.workspace()
        if not self.rules.reads_ahead or self._ahead is None:
            return True
        return self._ahead.complete(landed, has_time=lambda: pace.has_time)

    def set_aside(self, look: Look, *, reason: str, about: str) -> None:
        """Keep what nobody can use and why, once, however often it comes. Raises the store's failures."""
        look.set_aside.append(f"{about}: {reason}")
        set_aside(self.workspace().store, reason=reason, about=about)


def set_aside(store: ObjectStore, *, reason: str, about: str) -> None:
    """Keep what nobody can use below events-refused/, once, however often the same message comes."""
    kept = json.dumps({"about": about, "reason": reason}, sort_keys=True, ensure_ascii=False).encode()
    store.put_new(f"{REFUSED}{hashlib.sha256(kept).hexdigest()}.json", kept)


def _joined(parts: Sequence[Touched], refused: Mapping[str, str]) -> Touched:
    days: dict[str, frozenset[str]] = {}
    months: dict[str, dict[str, frozenset[str]]] = {}
    for part in parts:
        for key, objects in part.days.items():
            days[key] = days.get(key, frozenset()) | objects
        for month, tables in part.months.items():
            for table, files in tables.items():
                of_month = months.setdefault(month, {})
                of_month[table] = of_month.get(table, frozenset()) | files
    nothing = frozenset(key for part in parts for key in part.changed_nothing) - refused.keys()
    return Touched(days, months, nothing, refused)
