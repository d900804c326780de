"""A Slurm estate in memory: landed objects in, the tables of each day out, through the rules that the assets call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import day_interval
from chargeback.usage.capacity import capacity_of_day
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.slurm_events import parse_events, raw_events_of_day
from chargeback.usage.slurm_holds import holds_of_day
from chargeback.usage.slurm_job_details import parse_job_details, raw_bindings_of_day
from chargeback.usage.slurm_nodes import parse_nodes, raw_nodes_of_day
from chargeback.usage.slurm_reservations import parse_reservations, raw_reservations_of_day
from chargeback.usage.slurm_runs import runs_of_day

ALIASES = {"h100": "h100-sxm5-80gb", "a100": "a100-sxm4-80gb"}

PARSERS = {
    "slurm/sacct": parse_sacct_text,
    "slurm/nodes": parse_nodes,
    "slurm/events": parse_events,
    "slurm/reservations": parse_reservations,
    "slurm/bindings": parse_job_details,
}

NOTHING = {
    "slurm/nodes": b"NodeName=none Gres=(null)\n",
    "slurm/events": b"NodeName|TimeStart|TimeEnd|State|Reason\n",
    "slurm/reservations": b"Name|TimeStart|TimeEnd\n",
    "slurm/bindings": b"No jobs in the system\n",
}


@dataclass(frozen=True)
class DayTables:
    """runs, holds and capacity of one day."""

    runs: pl.DataFrame
    holds: pl.DataFrame
    capacity: pl.DataFrame


@dataclass(frozen=True)
class SlurmEstate:
    """Objects as (source, extracted at, content), the zone of the sacct clock, the billing zone, QOS -> tier."""

    objects: Sequence[tuple[str, datetime, bytes]]
    zone: ZoneInfo
    billing_zone: ZoneInfo
    tiers: Mapping[str, str]
    cluster: str

    @cached_property
    def parsed(self) -> list[tuple[str, datetime, ParsedExtract]]:
        """Every object, parsed once."""
        long_ago = datetime(2000, 1, 1, tzinfo=ZoneInfo("UTC"))
        fillers = [(source, long_ago, content) for source, content in NOTHING.items()
                   if source not in {landed for landed, _, _ in self.objects}]  # fmt: skip
        return [
            (source, at, PARSERS[source](content, cluster=self.cluster, zone=self.zone))
            for source, at, content in [*self.objects, *fillers]
        ]

    def observations(self, source: str, *, since: datetime, until: datetime) -> pl.DataFrame:
        """Observations of one source out of objects extracted in that stretch."""
        return pl.concat(
            extract.frame.with_columns(object=pl.lit(f"{source}-{at:%Y%m%dT%H%M%S}-{n}"), extracted_at=pl.lit(at))
            for n, (of, at, extract) in enumerate(self.parsed)
            if of == source and (since <= at <= until or at.year == 2000)
        )

    def day(self, day: str, *, look_around: timedelta = timedelta(days=400)) -> DayTables:
        """The tables of a day out of all objects extracted at most that far before or after it."""
        interval = day_interval(day, self.billing_zone)
        common = {"cluster": self.cluster, "day": day, "interval": interval}
        seen = {source: self.observations(source, since=interval.start - look_around, until=interval.end + look_around)
                for source in PARSERS if source != "slurm/nodes"}  # fmt: skip
        forever = timedelta(days=9000)
        nodes = raw_nodes_of_day(
            self.observations("slurm/nodes", since=interval.start - forever, until=interval.end + forever), **common
        )
        gpu_partitions = frozenset().union(*(extract.gpu_partitions for _, _, extract in self.parsed))
        sacct = raw_sacct_of_day(seen["slurm/sacct"], **common, gpu_partitions=gpu_partitions)
        bindings = raw_bindings_of_day(seen["slurm/bindings"], **common)
        events = raw_events_of_day(seen["slurm/events"], **common)
        reservations = raw_reservations_of_day(seen["slurm/reservations"], **common)
        runs = runs_of_day(sacct, nodes, bindings, **common, tiers=self.tiers, approvals=())
        holds = holds_of_day(runs, nodes, bindings, **common, aliases=ALIASES)
        capacity = capacity_of_day(nodes, events, reservations, runs, holds, **common, aliases=ALIASES)
        return DayTables(runs, holds, capacity)
