"""Arrived objects turned into run requests: a bounded number of runs, whatever arrives.

A partition waits until it can be requested: a run that is queued for it will read all that arrived, so nothing more is
asked; while one is under way it waits for its end; and a tick requests no more than the settings allow. What waits is
a line for each partition, not for each object, and lies in the sensor's cursor, which Dagster keeps together with the
requests of the same tick. Not here: which partitions an object touches (touched.py), how it is noticed (sqs.py,
listing.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import dagster as dg

from chargeback.billing_period import day_of
from orchestration.arrivals_runs import RunsUnderWay
from orchestration.jobs import DAY_JOB, MONTH_JOB, day_tables
from orchestration.touched import Touched
from resources.arrival_cursor import fingerprint
from resources.settings import Settings

ARRIVED_AT = "chargeback/arrived-at"
LATENCY_SECONDS = "chargeback/latency-seconds"
OBJECTS = "chargeback/objects"
NOTICED_BY = "chargeback/noticed-by"


@dataclass(frozen=True, slots=True)
class Arrived:
    """An object that arrived: its key, the version of its bytes where the store knows one, and when, UTC."""

    key: str
    version: str
    at: datetime


@dataclass(slots=True)
class Wanted:
    """A partition that objects touched: how many, a sum that stands for them in any order, the earliest arrival."""

    objects: int
    digest: int
    first: datetime
    tables: frozenset[str] = frozenset()

    def add(self, arrived: Arrived) -> None:
        """One more object."""
        self.objects += 1
        self.digest = (self.digest + fingerprint(arrived.key, arrived.version)) % 2**64
        self.first = min(self.first, arrived.at)


@dataclass(frozen=True, slots=True)
class Released:
    """What a tick requests, and what became of the rest."""

    requests: list[dg.RunRequest]
    covered: int
    behind_runs: int
    longest_latency_seconds: float


class Requests:
    """The partitions that wait to be requested by one sensor.

    A run's key is made of the partition and the objects that touch it, so Dagster makes no second run of the same; with
    `daily` also of the day, so that the same is asked again on another day.
    """

    def __init__(
        self, settings: Settings, sensor: str, remembered: Mapping[str, Any] | None = None, *, daily: bool = False
    ) -> None:
        self._settings, self._sensor, self._daily = settings, sensor, daily
        self._waiting = {key: _recalled(told) for key, told in (remembered or {}).items()}

    def __len__(self) -> int:
        return len(self._waiting)

    def want(self, touched: Touched, arrived: Mapping[str, Arrived], *, now: datetime) -> int:
        """Let the touched partitions wait. Returns how many of them the calendar does not have; they are left out.

        `arrived`: by key, the objects that were asked about.
        """
        unknown = 0
        for partition, keys in touched.days.items():
            unknown += not self._add(partition, frozenset(), [arrived[key] for key in keys if key in arrived], now)
        for month, tables in touched.months.items():
            keys = frozenset(key for files in tables.values() for key in files)
            files = [arrived[key] for key in keys if key in arrived]
            unknown += not self._add(month, frozenset(tables), files, now)
        return unknown

    def release(self, under_way: RunsUnderWay, *, most: int, now: datetime) -> Released:
        """What can be requested now, at most `most` runs, those that waited longest first."""
        requests: list[dg.RunRequest] = []
        covered = behind = 0
        longest = 0.0
        for partition, wanted in sorted(self._waiting.items(), key=lambda each: (each[1].first, each[0])):
            assets = frozenset(self._assets(partition, wanted))
            if under_way.will_read(partition, assets):
                covered += 1
            elif under_way.reads_now(partition, assets):
                behind += 1
                continue
            elif len(requests) < most:
                latency = max(0.0, (now - wanted.first).total_seconds())
                longest = max(longest, latency)
                requests.append(self._request(partition, wanted, latency, now))
            else:
                continue
            del self._waiting[partition]
        return Released(requests, covered, behind, longest)

    def drop(self, partitions: Iterable[str]) -> None:
        """Let these partitions wait no more."""
        for partition in partitions:
            self._waiting.pop(partition, None)

    def partitions(self) -> Mapping[str, Wanted]:
        """What waits, by partition."""
        return dict(self._waiting)

    def remembered(self) -> Mapping[str, Any]:
        """For the next tick."""
        return {
            partition: [each.objects, each.digest, each.first.timestamp(), sorted(each.tables)]
            for partition, each in self._waiting.items()
        }

    def _add(self, partition: str, tables: frozenset[str], arrived: Iterable[Arrived], now: datetime) -> bool:
        if not self._has(partition, now):
            return False
        wanted = self._waiting.setdefault(partition, Wanted(0, 0, now))
        wanted.tables |= tables
        for each in arrived:
            wanted.add(each)
        return True

    def _has(self, partition: str, now: datetime) -> bool:
        """Whether the calendar has the partition: one unknown to it would fail the tick for all others."""
        cluster, _, day = partition.rpartition("|")
        today = day_of(now, self._settings.zone)
        first = self._settings.first_day.isoformat()
        try:
            date.fromisoformat(day if cluster else f"{day}-01")
        except ValueError:
            return False
        return first[: len(day)] <= day <= today[: len(day)] and (not cluster or cluster in self._settings.clusters)

    def _assets(self, partition: str, wanted: Wanted) -> list[dg.AssetKey]:
        cluster = partition.rpartition("|")[0]
        if cluster:
            return day_tables(self._settings.cluster(cluster).scheduler)
        return [dg.AssetKey(table) for table in sorted(wanted.tables)]

    def _request(self, partition: str, wanted: Wanted, latency: float, now: datetime) -> dg.RunRequest:
        cluster, _, day = partition.rpartition("|")
        on = (f"{now:%Y-%m-%d}",) if self._daily else ()
        return dg.RunRequest(
            run_key=" ".join((partition, *sorted(wanted.tables), f"{wanted.digest:016x}", *on)),
            job_name=DAY_JOB if cluster else MONTH_JOB,
            partition_key=dg.MultiPartitionKey({"cluster": cluster, "day": day}) if cluster else day,
            asset_selection=self._assets(partition, wanted),
            tags={
                ARRIVED_AT: wanted.first.astimezone(UTC).isoformat(timespec="seconds"),
                LATENCY_SECONDS: f"{latency:.1f}",
                OBJECTS: str(wanted.objects),
                NOTICED_BY: self._sensor,
            },
        )


def _recalled(told: Any) -> Wanted:
    objects, digest, first, tables = told
    return Wanted(objects, digest, datetime.fromtimestamp(first, UTC), frozenset(tables))
