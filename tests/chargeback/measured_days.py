"""A day with telemetry, from sacct text or pods and what Prometheus answers to attribution, through the real rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.attribution.conservation import (
    attribution_against_bindings,
    attribution_against_capacity,
    attribution_against_holds,
    states_add_up,
)
from chargeback.attribution.hourly import attribute_hours
from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.usage.bindings import bindings_of_day
from chargeback.usage.inventory import INVENTORY, inventory_of
from chargeback.usage.set_members import members_of
from chargeback.usage.slurm_devices import parse_device_map, raw_device_maps_of_day
from chargeback.usage.slurm_job_details import raw_bindings_of_day
from chargeback.usage.slurm_nodes import raw_nodes_of_day
from tests.chargeback.usage.kubernetes_days import KubernetesDays
from tests.chargeback.usage.telemetry import DAY, INTERVAL, Telemetry, day_of, series
from tests.slurm_estate import ALIASES, SlurmEstate

COMMON = {"cluster": "c", "day": DAY, "interval": INTERVAL}
LANDED = INTERVAL.end + timedelta(hours=1)
UTC_ZONE = ZoneInfo("UTC")
SACCT = "JobIDRaw|JobID|Cluster|Account|User|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES|NodeList"


@dataclass(frozen=True)
class MeasuredDay:
    """What the rules make of it."""

    runs: pl.DataFrame
    holds: pl.DataFrame
    bindings: pl.DataFrame
    hours: pl.DataFrame
    unheld: pl.DataFrame
    capacity: pl.DataFrame = field(default_factory=CAPACITY.empty)

    def gpu_hours(self, column: str) -> dict[str, Fraction]:
        """Physical GPU-hours by who ran: a column in device-milliseconds (or ppm of them) x the share of a GPU."""
        per_hour = 3_600_000 * (1_000_000 if "ppm" in column else 1)
        share = pl.col("share_units") * pl.col(column)
        sums = self.hours.group_by("run", "units_per_gpu").agg(share.sum()).join(self.runs, on="run", how="left")
        found: dict[str, Fraction] = {}
        for name, units, total in sums.select("job_id", "units_per_gpu", "share_units").rows():
            found[name] = found.get(name, Fraction(0)) + Fraction(total, units * per_hour)
        return dict(sorted(found.items()))


def job(number: int, start: str, end: str, *, gpus: int, account: str = "lab", host: str = "n1") -> str:
    """One sacct record with a100s; times are clock times of the day, `24:00` is the next midnight."""
    begins, ends = (INTERVAL.start + timedelta(hours=int(at[:2]), minutes=int(at[3:])) for at in (start, end))
    seconds = int((ends - begins).total_seconds())
    tres = f"gres/gpu:a100={gpus},gres/gpu={gpus},node=1"
    who = f"{number}|{number}|c|{account}|u|gpu|COMPLETED"
    return f"{who}|{begins:%FT%T}|{begins:%FT%T}|{ends:%FT%T}|{seconds}|{tres}|{host}"


def measured_jobs(
    *jobs: str, gpus: int, telemetry: Telemetry | None = None, job_details: str = "No jobs in the system\n",
    device_map: str = "", staleness: int = 90,
) -> MeasuredDay:  # fmt: skip
    """The day of Slurm jobs on n1, which has so many a100s."""
    sacct = "\n".join([SACCT, *jobs, ""]).encode()
    nodes = f"NodeName=n1 State=IDLE Gres=gpu:a100:{gpus}\n".encode()
    objects = [("slurm/sacct", LANDED, sacct), ("slurm/nodes", LANDED, nodes),
               ("slurm/bindings", LANDED, job_details.encode())]  # fmt: skip
    estate = SlurmEstate(objects, UTC_ZONE, UTC_ZONE, {}, "c")
    tables = estate.day(DAY)
    around = {"since": INTERVAL.start, "until": LANDED}
    granted = raw_bindings_of_day(estate.observations("slurm/bindings", **around), **COMMON)
    inventory = inventory_of(raw_nodes_of_day(estate.observations("slurm/nodes", **around), **COMMON), aliases=ALIASES)
    evidence = (granted, _device_maps(device_map), RAW_PODS.empty(), RAW_CLAIMS.empty(), RAW_SLICES.empty())
    day = _measured(tables.runs, tables.holds, evidence, telemetry or day_of(), inventory, staleness)
    assert attribution_against_capacity(day.hours, tables.capacity, members_of(tables.capacity["host"])).is_empty()
    return replace(day, capacity=tables.capacity)


def measured_pods(days: KubernetesDays, telemetry: Telemetry, *, staleness: int = 90) -> MeasuredDay:
    """The day of pods."""
    evidence = (RAW_BINDINGS.empty(), RAW_DEVICE_MAPS.empty(), days.table(RAW_PODS, DAY), RAW_CLAIMS.empty(),
                RAW_SLICES.empty())  # fmt: skip
    inventory = pl.DataFrame(schema=INVENTORY)
    return _measured(days.runs(DAY), days.holds(DAY), evidence, telemetry, inventory, staleness)


def _measured(
    runs: pl.DataFrame, holds: pl.DataFrame, evidence: Sequence[pl.DataFrame], telemetry: Telemetry,
    inventory: pl.DataFrame, staleness: int,
) -> MeasuredDay:  # fmt: skip
    limits = {"active_above_ppm": 200_000, "staleness_seconds": staleness}
    bindings = bindings_of_day(holds, runs, *evidence, telemetry.devices, inventory, **COMMON)
    hours = attribute_hours(holds, bindings, runs, telemetry.samples, **COMMON, **limits)
    unheld = unallocated_activity_of_day(
        holds, bindings, telemetry.samples, telemetry.devices, inventory=inventory, members=members_of(holds["host"]),
        **COMMON, **limits,
    )  # fmt: skip
    assert ATTRIBUTION.breaches(hours) == UNALLOCATED_ACTIVITY.breaches(unheld) == []
    assert attribution_against_holds(hours, holds).is_empty()
    assert attribution_against_bindings(hours, bindings).is_empty()
    assert states_add_up(hours).is_empty()
    return MeasuredDay(runs, holds, bindings, hours, unheld)


def _device_maps(text: str) -> pl.DataFrame:
    if not text:
        return RAW_DEVICE_MAPS.empty()
    landed = pl.lit(INTERVAL.start, dtype=INSTANT)
    seen = parse_device_map(text.encode(), cluster="c").frame.with_columns(
        object=pl.lit("map"), extracted_at=landed, overlaps_from=landed, overlaps_until=landed
    )
    return raw_device_maps_of_day(seen, **COMMON)


def every_minute(metric: str, first: str, last: str, value: object, **labels: str) -> dict[str, object]:
    """A series with one value a minute from a clock time until just before another."""
    begins, ends = (int(at[:2]) * 3600 + int(at[3:]) * 60 for at in (first, last))
    return series(metric, dict.fromkeys(range(begins, ends, 60), value), **labels)
