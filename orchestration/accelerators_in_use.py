"""Which accelerators a lake knows: GPUs of each, and how MIG cuts them. Read from the newest days of every cluster.

Not here: what they cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import polars as pl

from chargeback.billing_period import day_of
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.money import SECONDS_PER_HOUR
from chargeback.usage.accelerators import slice_accelerator
from orchestration.workspace import Workspace

DAYS = 31
"""So many of the newest days of a cluster are looked at."""


@dataclass(slots=True)
class InUse:
    """Accelerator -> GPUs (the most in any hour), MIG profiles held or offered, and geometries seen by telemetry.

    A geometry is a sorted tuple of (profile, how many of it on one GPU).
    """

    gpus: dict[str, int] = field(default_factory=dict)
    profiles: dict[str, set[str]] = field(default_factory=dict)
    geometries: dict[str, set[tuple[tuple[str, int], ...]]] = field(default_factory=dict)


def accelerators_in_use(workspace: Workspace) -> InUse:
    """What stands in capacity and telemetry of the newest days; nothing where no day was computed."""
    found = InUse()
    capacity = workspace.lake.scan(CAPACITY, _newest_days(CAPACITY, workspace)).frame
    hourly = (
        capacity.with_columns(pl.col("accelerator").str.split(":").list.first().alias("whole"))
        .group_by("cluster", "hour_start", "whole", "units_per_gpu")
        .agg(pl.col("capacity_unit_seconds").sum())
        .collect()
    )
    found.gpus = _most_gpus(hourly)
    for accelerator in sorted(capacity.select("accelerator").unique().collect()["accelerator"]):
        whole, _, profile = accelerator.partition(":")
        if profile:
            found.profiles.setdefault(whole, set()).add(profile)
    _add_geometries(found, workspace)
    return found


def _most_gpus(hourly: pl.DataFrame) -> dict[str, int]:
    """GPUs of each accelerator in the hour that has most of them, cluster by cluster: whole and cut ones together."""
    hours: dict[tuple[str, str, datetime], Fraction] = {}
    columns = ("whole", "cluster", "hour_start", "units_per_gpu", "capacity_unit_seconds")
    for whole, cluster, hour, units, seconds in hourly.select(columns).iter_rows():
        key = (whole, cluster, hour)
        hours[key] = hours.get(key, Fraction(0)) + Fraction(seconds, units * SECONDS_PER_HOUR)
    most: dict[tuple[str, str], Fraction] = {}
    for (whole, cluster, _), gpus in hours.items():
        most[whole, cluster] = max(most.get((whole, cluster), Fraction(0)), gpus)
    counts: dict[str, int] = {}
    for (whole, _), gpus in sorted(most.items()):
        counts[whole] = counts.get(whole, 0) - int(-gpus // 1)
    return counts


def _add_geometries(found: InUse, workspace: Workspace) -> None:
    """The instances that telemetry saw last on each GPU of each day."""
    devices = workspace.lake.scan(RAW_DEVICES, _newest_days(RAW_DEVICES, workspace)).frame
    slices = devices.filter(pl.col("slice_profile") != "")
    last = pl.col("seen_until") == pl.col("seen_until").max().over("cluster", "day", "gpu")
    seen = (
        slices.filter(last)
        .select("cluster", "day", "gpu", "gpu_instance", "slice_profile", "model")
        .unique()
        .group_by("cluster", "day", "gpu", "model", "slice_profile")
        .len()
        .collect()
    )
    aliases: Mapping[str, str] = workspace.settings.accelerators
    for _, instances in seen.group_by("cluster", "day", "gpu", "model"):
        counts = tuple(sorted(instances.select("slice_profile", "len").iter_rows()))
        whole = slice_accelerator(instances["model"][0], counts[0][0], aliases=aliases).partition(":")[0]
        found.geometries.setdefault(whole, set()).add(counts)
        found.profiles.setdefault(whole, set()).update(profile for profile, _ in counts)


def _newest_days(contract: Contract, workspace: Workspace) -> list[Partition]:
    settings = workspace.settings
    today = date.fromisoformat(day_of(datetime.now(UTC), settings.zone))
    count = (today - settings.first_day).days + 1
    days = [(settings.first_day + timedelta(days=n)).isoformat() for n in range(count)]
    newest: list[Partition] = []
    for cluster in settings.clusters:
        states = workspace.lake.states(contract, [Partition.of_day(cluster, day) for day in days])
        newest += [Partition.from_key(key) for key in sorted(states)[-DAYS:]]
    return newest
