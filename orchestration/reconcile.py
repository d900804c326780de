"""What was lost on the way: from time to time all of landing is held against the raw tables.

A notification may be lost, a run may fail, a sensor may have been stopped. What stands in landing and in no table is
then requested, but a partition whose runs keep failing at most once a day. Not here: what that is
(reconcile_untaken.py).
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_desk import Desk, Look
from orchestration.arrivals_runs import last_succeeded, runs_of
from orchestration.arrivals_told import told_result
from orchestration.touched import Touched
from resources.arrival_cursor import packed, unpacked

ONCE_IN = timedelta(days=1)

Asked = dict[str, tuple[int, datetime]]
"""Partition -> what was requested of it by this sensor in the last day: the sum of its objects, and when."""


class ReconciliationLook:
    """Holds landing against the raw tables when it is due; between, it requests what one tick could not."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(self, context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        """One tick. Raises CursorUnreadable and the store's failures: the next tick then tries again."""
        look = Look()
        remembered = unpacked(context.cursor)
        requests = Requests(self._desk.settings, context.sensor_name, remembered.get("waiting"), daily=True)
        asked = _recalled(remembered.get("asked", {}), now)
        due = datetime.fromtimestamp(remembered.get("due", 0), UTC)
        if now >= due:
            self._compare(requests, look, now=now)
            due = now + timedelta(minutes=self._desk.settings.events.reconcile_every_minutes)
        elif not len(requests):
            return dg.SensorResult(
                skip_reason=dg.SkipReason(f"landing is held against the raw tables at {due:%H:%M} UTC")
            )
        wanted = requests.partitions()
        requests.drop([key for key, each in wanted.items() if not self._may_ask(context, key, each.digest, asked)])
        events = self._desk.settings.events
        released = requests.release(runs_of(context.instance, now=now), most=events.most_runs_a_tick, now=now)
        for request in released.requests:
            asked[str(request.partition_key)] = (wanted[str(request.partition_key)].digest, now)
        told = {key: [digest, at.timestamp()] for key, (digest, at) in asked.items()}
        cursor = {"waiting": requests.remembered(), "asked": told, "due": due.timestamp()}
        return told_result(context, look, released, waiting=len(requests), cursor=packed(cursor))

    def _compare(self, requests: Requests, look: Look, *, now: datetime) -> None:
        """Let everything wait that stands in no table and had its time to be noticed."""
        workspace = self._desk.workspace()
        untaken = self._desk.rules.untaken_objects(workspace=workspace, now=now)
        patience = timedelta(seconds=60 + 2 * self._desk.settings.events.look_every_seconds)
        listed = {each.key: each.modified_at for each in workspace.store.list("landing/")}
        objects = {key for keys in untaken.days.values() for key in keys}
        lost = {key for key in objects if key in listed and listed[key] < now - patience}
        days = {day: keys & lost for day, keys in untaken.days.items() if keys & lost}
        look.arrived = len(lost)
        files = {key for key in listed if key.startswith("landing/") and untaken.months and _is_of_people(key)}
        arrived = {key: Arrived(key, "", listed[key]) for key in lost | files}
        touched = Touched(days, untaken.months, untaken.changed_nothing, untaken.refused)
        look.outside_calendar = requests.want(touched, arrived, now=now)
        for key, reason in untaken.refused.items():
            self._desk.set_aside(look, reason=reason, about=key)

    def _may_ask(self, context: dg.SensorEvaluationContext, partition: str, digest: int, asked: Asked) -> bool:
        """Whether it was not asked for in the last day, or other objects are missing now although its run succeeded."""
        if partition not in asked:
            return True
        return asked[partition][0] != digest and last_succeeded(context.instance, partition)


def _is_of_people(key: str) -> bool:
    return key.startswith(("landing/rate-cards/", "landing/ownership/"))


def _recalled(told: Mapping[str, Any], now: datetime) -> Asked:
    asked = {key: (digest, datetime.fromtimestamp(at, UTC)) for key, (digest, at) in told.items()}
    return {key: each for key, each in asked.items() if now - each[1] < ONCE_IN}
