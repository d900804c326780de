"""What was lost on the way: from time to time all of landing is held against the raw tables.

A notification may be lost, a run may fail, a sensor may have been stopped. What landed and would change a table is then
requested, but a partition whose runs keep failing at most once a day. After a long stop thousands of objects may be
missing: one look holds a bounded number against the tables and the next one goes on behind them, in order of their
keys. Not here: the rule that is asked (touched.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_desk import FEWEST_AT_ONCE, Desk, Look, Pace
from orchestration.arrivals_runs import last_succeeded, runs_of
from orchestration.arrivals_told import told_result
from orchestration.touched import Touched
from orchestration.untaken import settle, settled_objects, sources_of, untaken_of_source
from resources.arrival_cursor import packed, unpacked
from resources.landing import LandedObject

ONCE_IN = timedelta(days=1)

Asked = dict[str, tuple[int, datetime]]
"""Partition -> what was requested of it by this sensor in the last day: the sum of its objects, and when."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a comparison goes on: the number of a source, and the last key of it that was compared."""

    source: int
    after: str = ""


BEGINNING = Place(0)


class ReconciliationLook:
    """Holds landing against the raw tables when it is due; between, it requests what one tick could not."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sources = sources_of(desk.settings)

    def __call__(self, context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        """One tick. Raises CursorUnreadable and the store's failures: the next tick then tries again."""
        look, events = Look(), self._desk.settings.events
        remembered = unpacked(context.cursor)
        requests = Requests(self._desk.settings, context.sensor_name, remembered.get("waiting"), daily=True)
        asked = _recalled(remembered.get("asked", {}), now)
        due, at = datetime.fromtimestamp(remembered.get("due", 0), UTC), self._place(remembered.get("at"))
        if now < due and not len(requests):
            return dg.SensorResult(
                skip_reason=dg.SkipReason(f"landing is held against the raw tables at {due:%H:%M} UTC")
            )
        if now >= due:
            at = self._compare(at, requests, look, now=now)
        if at.source == len(self._sources):
            due, at = now + timedelta(minutes=events.reconcile_every_minutes), BEGINNING
        wanted = requests.partitions()
        requests.drop([key for key, each in wanted.items() if not self._may_ask(context, key, each.digest, asked)])
        released = requests.release(runs_of(context.instance, now=now), most=events.most_runs_a_tick, now=now)
        for request in released.requests:
            asked[str(request.partition_key)] = (wanted[str(request.partition_key)].digest, now)
        kept = {key: [digest, when.timestamp()] for key, (digest, when) in asked.items()}
        told_at = [*self._sources[at.source], at.after]
        cursor = {"waiting": requests.remembered(), "asked": kept, "due": due.timestamp(), "at": told_at}
        return told_result(context, look, released, waiting=len(requests), cursor=packed(cursor))

    def _place(self, told: Any) -> Place:
        """Where the last look stopped; the beginning if the settings have no such source any more."""
        match told:
            case [source, cluster, str(after)] if (source, cluster) in self._sources:
                return Place(self._sources.index((source, cluster)), after)
        return BEGINNING

    def _compare(self, at: Place, requests: Requests, look: Look, *, now: datetime) -> Place:
        """Let what is lost wait, source by source from a place on, while there is time. Returns where it stopped."""
        pace, workspace = Pace(FEWEST_AT_ONCE), self._desk.workspace()
        settled, modified = settled_objects(workspace), dict[str, datetime]()
        while at.source < len(self._sources) and pace.has_time:
            source, cluster = self._sources[at.source]
            if not self._desk.has_read(workspace.landing.objects(source, cluster), pace):
                break
            untaken = untaken_of_source(source, cluster, workspace=workspace, now=now, settled=settled)
            objects = [each for each in untaken if each.key > at.after]
            if objects:
                modified = modified or {each.key: each.modified_at for each in workspace.store.list("landing/")}
            compared = self._compare_objects(objects, modified, requests, look, pace, now=now)
            if compared < len(objects):
                look.uncompared = len(objects) - compared
                return Place(at.source, objects[compared - 1].key if compared else at.after)
            at = Place(at.source + 1)
        return at

    def _compare_objects(
        self, objects: Sequence[LandedObject], modified: Mapping[str, datetime], requests: Requests, look: Look,
        pace: Pace, *, now: datetime,
    ) -> int:  # fmt: skip
        """Let what some objects of one source touch wait, in order of their keys. Returns how many there was time for.

        The first ones are compared however little time is left, so that every look gets on.
        """
        most = self._desk.settings.events.most_reconciled_a_tick
        done = 0
        while done < len(objects) and look.compared < most and (not done or pace.has_time):
            some = objects[done : done + min(pace.at_once, most - look.compared)]
            touched = self._desk.touched(some, pace, now=now)
            if touched is None:
                look.unread += len(some)
                break
            self._want(touched, [each.key for each in some], modified, requests, look, now=now)
            if some[0].cluster is not None:
                settle(self._desk.workspace(), [each for each in some if each.key in touched.changed_nothing], now=now)
            done += len(some)
            look.compared += len(some)
        return done

    def _want(
        self, touched: Touched, keys: Sequence[str], modified: Mapping[str, datetime], requests: Requests, look: Look,
        *, now: datetime,
    ) -> None:  # fmt: skip
        """Let touched partitions wait, but for objects that had no time to be noticed yet."""
        patience = timedelta(seconds=60 + 2 * self._desk.settings.events.look_every_seconds)
        lost = {
            key: Arrived(key, "", modified[key]) for key in keys if key in modified and modified[key] < now - patience
        }
        days = {day: objects & lost.keys() for day, objects in touched.days.items() if objects & lost.keys()}
        months = {
            month: {table: files & lost.keys() for table, files in tables.items() if files & lost.keys()}
            for month, tables in touched.months.items()
        }
        months = {month: tables for month, tables in months.items() if tables}
        found = [*days.values(), *(files for tables in months.values() for files in tables.values())]
        look.arrived += len({key for objects in found for key in objects})
        look.outside_calendar += requests.want(Touched(days, months, frozenset(), {}), lost, now=now)
        for key, reason in touched.refused.items():
            self._desk.set_aside(look, reason=reason, about=key)

    def _may_ask(self, context: dg.SensorEvaluationContext, partition: str, digest: int, asked: Asked) -> bool:
        """Whether it was not asked for in the last day, or other objects are missing now although its run succeeded."""
        if partition not in asked:
            return True
        return asked[partition][0] != digest and last_succeeded(context.instance, partition)


def _recalled(told: Mapping[str, Any], now: datetime) -> Asked:
    asked = {key: (digest, datetime.fromtimestamp(at, UTC)) for key, (digest, at) in told.items()}
    return {key: each for key, each in asked.items() if now - each[1] < ONCE_IN}
