"""The runs of a partition that are queued or under way: whether one of them will read what just arrived.

Not here: what is requested (arrivals.py).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import dagster as dg
from dagster import DagsterRunStatus as Status

PARTITION_TAG = "dagster/partition"
QUEUED = (Status.QUEUED, Status.NOT_STARTED)
BEGUN = (Status.STARTING, Status.STARTED, Status.CANCELING)

LAUNCHED_WITHIN = timedelta(minutes=10)
"""A run that was created and neither queued nor started for longer was left behind by a crash."""

Assets = frozenset[dg.AssetKey]


@dataclass(frozen=True, slots=True)
class RunsUnderWay:
    """Per partition, the assets of each run that is queued, and of each that has begun; None for a whole job."""

    queued: dict[str, list[Assets | None]]
    begun: dict[str, list[Assets | None]]

    def will_read(self, partition: str, assets: Assets) -> bool:
        """Whether a run that has not begun makes all these assets of the partition."""
        return any(each is None or assets <= each for each in self.queued.get(partition, ()))

    def reads_now(self, partition: str, assets: Assets) -> bool:
        """Whether a run that has begun makes any of them: it may have read before the latest arrival."""
        return any(each is None or assets & each for each in self.begun.get(partition, ()))


def runs_under_way(records: Iterable[dg.RunRecord], *, now: datetime) -> RunsUnderWay:
    """Sort runs by what they are about to read."""
    queued: dict[str, list[Assets | None]] = defaultdict(list)
    begun: dict[str, list[Assets | None]] = defaultdict(list)
    for record in records:
        run = record.dagster_run
        partition = run.tags.get(PARTITION_TAG, "")
        assets = frozenset(run.asset_selection) if run.asset_selection is not None else None
        is_left_behind = run.status is Status.NOT_STARTED and now - record.create_timestamp > LAUNCHED_WITHIN
        if run.status in BEGUN:
            begun[partition].append(assets)
        elif run.status in QUEUED and not is_left_behind:
            queued[partition].append(assets)
    return RunsUnderWay(queued, begun)


def runs_of(instance: dg.DagsterInstance, *, now: datetime) -> RunsUnderWay:
    """What is queued or under way in an instance, whoever asked for it."""
    return runs_under_way(instance.get_run_records(dg.RunsFilter(statuses=[*QUEUED, *BEGUN])), now=now)


def last_succeeded(instance: dg.DagsterInstance, partition: str) -> bool:
    """Whether the latest run of a partition ended well."""
    latest = instance.get_run_records(dg.RunsFilter(tags={PARTITION_TAG: partition}), limit=1)
    return bool(latest) and latest[0].dagster_run.status is Status.SUCCESS
