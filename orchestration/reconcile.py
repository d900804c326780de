"""What was lost on the way: from time to time all of landing is held against the raw tables.

A notification may be lost, a run may fail, a sensor may have been stopped. What landed and would change a table is then
requested, but a partition whose runs keep failing at most once a day. Not here: the rule that is
asked (touched.py).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_desk import Desk, Look, Pace
from orchestration.arrivals_runs import last_succeeded, runs_of
from orchestration.arrivals_told import told_result
from orchestration.touched import Touched
from orchestration.untaken import settle, settled_objects, sources_of, untaken_of_source
from resources.arrival_cursor import packed, unpacked

ONCE_IN = timedelta(days=1)
NOTHING = Touched({}, {}, frozenset(), {})

Asked = dict[str, tuple[int, datetime]]
"""Partition -> what was requested of it by this sensor in the last day: the sum of its objects, and when."""


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
        due, at = datetime.fromtimestamp(remembered.get("due", 0), UTC), int(remembered.get("at", 0))
        if now < due and not len(requests):
            return dg.SensorResult(
                skip_reason=dg.SkipReason(f"landing is held against the raw tables at {due:%H:%M} UTC")
            )
        if now >= due:
            at = self._compare(at, requests, look, now=now)
        if at == len(self._sources):
            due, at = now + timedelta(minutes=events.reconcile_every_minutes), 0
        wanted = requests.partitions()
        requests.drop([key for key, each in wanted.items() if not self._may_ask(context, key, each.digest, asked)])
        released = requests.release(runs_of(context.instance, now=now), most=events.most_runs_a_tick, now=now)
        for request in released.requests:
            asked[str(request.partition_key)] = (wanted[str(request.partition_key)].digest, now)
        kept = {key: [digest, when.timestamp()] for key, (digest, when) in asked.items()}
        cursor = {"waiting": requests.remembered(), "asked": kept, "due": due.timestamp(), "at": at}
        return told_result(context, look, released, waiting=len(requests), cursor=packed(cursor))

    def _compare(self, at: int, requests: Requests, look: Look, *, now: datetime) -> int:
        """Let what is lost wait, source by source from number `at` on, while there is time. Returns the next number."""
        pace, workspace = Pace(), self._desk.workspace()
        settled, modified = settled_objects(workspace), dict[str, datetime]()
        while at < len(self._sources) and pace.has_time:
            source, cluster = self._sources[at]
            if not self._desk.has_read(workspace.landing.objects(source, cluster), pace):
                break
            objects = untaken_of_source(source, cluster, workspace=workspace, now=now, settled=settled)
            touched = self._desk.touched(objects, pace, now=now) if objects else NOTHING
            if touched is None:
                look.unread += len(objects)
                break
            modified = modified or {each.key: each.modified_at for each in workspace.store.list("landing/")}
            self._want(touched, [each.key for each in objects], modified, requests, look, now=now)
            if cluster is not None:
                settle(workspace, [each for each in objects if each.key in touched.changed_nothing], now=now)
            at += 1
        return at

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
        months = touched.months if lost else {}
        look.arrived += len({key for objects in days.values() for key in objects})
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
