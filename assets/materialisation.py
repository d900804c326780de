"""How every asset does its work: is the partition current, else compute it by one rule, write it, report what happened.

Not here: any rule, and which partitions exist (orchestration/partitions.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import polars as pl

from chargeback.billing_period import BillingPeriod, Interval, day_interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from resources.code_version import code_version
from resources.lake import Lake
from resources.lake_records import Provenance, Scanned
from resources.settings import Settings
from resources.storage_proof import require_proof


@dataclass(frozen=True, slots=True)
class Day:
    """The (cluster, day) that a run computes. `timezone`: of times without an offset in the cluster's extracts."""

    cluster: str
    day: str
    interval: Interval
    partition: Partition
    scheduler: str
    timezone: str | None = None

    @property
    def read_as(self) -> Mapping[str, object]:
        """The setting of the cluster that decides what is read in its extracts, as inputs are recorded."""
        return {"timezone": self.timezone} if self.timezone else {}


def day_of(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext, settings: Settings) -> Day:
    """The (cluster, day) partition of a run. Raises SettingsRefused for a cluster that the settings do not know."""
    partition = Partition.from_key(context.partition_key)
    values = dict(partition.values)
    cluster = settings.cluster(values["cluster"])
    interval = day_interval(values["day"], settings.zone)
    return Day(cluster.name, values["day"], interval, partition, cluster.scheduler, cluster.timezone)


@dataclass(frozen=True, slots=True)
class Month:
    """The billing month that a run computes, and the (cluster, day) partitions that it is made of."""

    period: BillingPeriod
    partition: Partition
    days: tuple[Partition, ...]
    schedulers: Mapping[str, str]

    def days_of(self, contract: Contract) -> tuple[Partition, ...]:
        """Its (cluster, day) partitions that have this table: those of clusters whose scheduler has it."""
        return tuple(day for day in self.days if self.schedulers[dict(day.values)["cluster"]] in contract.schedulers)


def month_of(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext, settings: Settings) -> Month:
    """The month partition of a run."""
    return month_called(context.partition_key, settings)


def month_called(month: str, settings: Settings) -> Month:
    """A month by name; its days begin with the first billed day of the lake."""
    period = BillingPeriod(month, settings.zone)
    days = [day for day in period.days if day >= settings.first_day.isoformat()]
    return Month(
        period=period,
        partition=Partition.of_month(month),
        days=tuple(Partition.of_day(cluster, day) for cluster in sorted(settings.clusters) for day in days),
        schedulers={name: cluster.scheduler for name, cluster in settings.clusters.items()},
    )


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything a partition follows from: contents of tables, landing objects, settings. Run id and clock are not."""

    contents: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(
        cls, *read: Scanned, objects: Mapping[str, str] | None = None, settings: Mapping[str, object] | None = None
    ) -> "Inputs":
        """The inputs that several scans, landing objects (key -> sha256) and settings make."""
        contents = {key: content for scanned in read for key, content in scanned.contents.items()}
        return cls(contents=contents, objects=objects or {}, settings=settings or {})

    def provenance(self, run_id: str) -> Provenance:
        """The same as the lake records it."""
        named = {f"landing|{key}": sha for key, sha in self.objects.items()}
        chosen = {f"setting|{name}": repr(value) for name, value in self.settings.items()}
        return Provenance(run_id=run_id, code_version=code_version(), inputs={**self.contents, **named, **chosen})


def materialise(
    context: dg.AssetExecutionContext,
    lake: Lake,
    contract: Contract,
    partition: Partition,
    *,
    inputs: Inputs,
    rule: Callable[[], pl.DataFrame],
    report: Callable[[pl.DataFrame], Mapping[str, dg.MetadataValue]] | None = None,
) -> dg.MaterializeResult:
    """Write what `rule` computes, unless the partition already follows from the very same inputs.

    `report` adds metadata (totals, a plot) of the frame that stands in the partition afterwards.
    """
    require_proof(lake.location)
    provenance = inputs.provenance(context.run.run_id)
    if lake.is_current(contract, partition, provenance):
        frame = lake.scan(contract, [partition]).frame.collect()
    else:
        frame = rule()
    written = lake.replace(contract, partition, frame, provenance)
    metadata: dict[str, Any] = {
        **(report(frame) if report else {}),
        "dagster/row_count": written.row_count,
        "outcome": written.reason,
        "content hash": written.content_hash,
        "lake version": written.version,
        "inputs": dg.MetadataValue.json(dict(provenance.inputs)),
    }
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(written.content_hash))
