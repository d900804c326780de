"""Pods, nodes, owners and claims as raw tables have them, and the usage tables of a day from them, without a lake."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.usage.capacity import kubernetes_capacity_of_day
from chargeback.usage.gpu_approvals import GpuCountApproval
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from tests.chargeback.usage.sacct_days import gpu_seconds_of, keeps
from tests.tables import instant

UTC_ZONE = ZoneInfo("UTC")
CLUSTER = "k8s-b"

_INSTANTS = {
    "created": "creationTimestamp",
    "scheduled": "scheduled",
    "started": "containersStarted",
    "finished": "finished",
    "disrupted": "disrupted",
    "deletion": "deletionTimestamp",
    "deleted": "deleted",
    "last_seen": "lastSeen",
    "missing": "missingFrom",
}


def row_of(contract: Contract, **given: object) -> dict[str, object]:
    """One row of a contract: what is not given is null, else empty, false, one or long ago."""
    row: dict[str, object] = {}
    for column in contract.columns:
        blank = {pl.String: "", pl.Boolean: False, pl.Int64: 1}.get(type(column.dtype), instant("2026-01-01T00:00Z"))
        value = given.get(column.name, None if column.nullable else blank)
        is_instant = isinstance(column.dtype, pl.Datetime) and isinstance(value, str)
        row[column.name] = instant(str(value)) if is_instant else value
    assert set(given) <= set(row), set(given) - set(row)
    return row


def a_pod(uid: str, *containers: Mapping[str, object], node: str | None = "n1", **given: object) -> dict[str, object]:
    """A pod. A container is its limits, with `kind` if it is not the main one; instants by the names of _INSTANTS.

    Instants may be hours of 3 July 2026: `12:30`. Without `last_seen` it was seen long after.
    """
    for name, column in _INSTANTS.items():
        if name in given:
            at = given.pop(name)
            given[column] = f"2026-07-03T{at}Z" if isinstance(at, str) and len(at) == 5 else at
    for name in ("labels", "annotations", "resourceClaims"):
        given[name] = json.dumps(given.get(name, {}), sort_keys=True, separators=(",", ":"))
    read = [
        {"name": each.get("kind", "main"), "kind": each.get("kind", "main"), "requests": {},
         "limits": {name: quantity for name, quantity in each.items() if name != "kind"}}
        for each in containers
    ]  # fmt: skip
    given = {
        "namespace": "team-a",
        "name": uid,
        "containers": json.dumps(read),
        "lastSeen": "2026-08-01T00:00Z",
    } | given
    return row_of(RAW_PODS, uid=uid, cluster=CLUSTER, nodeName=node if given.get("scheduled") else None, **given)


def in_state(capacity: pl.DataFrame, state: str, accelerator: str | None = None) -> Fraction:
    """GPU-seconds of contracts.capacity in a state, exact."""
    of = capacity if accelerator is None else capacity.filter(pl.col("accelerator") == accelerator)
    rows = of.select(f"{state}_unit_seconds", "units_per_gpu").rows()
    return sum((Fraction(seconds, units) for seconds, units in rows), Fraction(0))


def gpus(count: int | str, **more: object) -> dict[str, object]:
    """A container that asks whole GPUs."""
    return {"nvidia.com/gpu": str(count), **more}


def a_node(
    name: str = "n1", *, product: str = "NVIDIA-A100-SXM4-80GB", count: int | None = 4,
    labels: Mapping[str, str] | None = None, capacity: Mapping[str, str] | None = None,
    allocatable: Mapping[str, str] | None = None, **given: object,
) -> dict[str, object]:  # fmt: skip
    """A node record that says the same all through the day unless `statedFrom` and `statedUntil` are given."""
    counted = {"nvidia.com/gpu.count": str(count)} if count is not None else {}
    stated = {"nvidia.com/gpu.product": product, **counted, "kubernetes.io/hostname": name, **(labels or {})}
    offered = capacity if capacity is not None else {"nvidia.com/gpu": str(count or 0)}
    texts = {"labels": stated, "capacity": offered, "allocatable": offered if allocatable is None else allocatable}
    spelled = {column: json.dumps(value, sort_keys=True) for column, value in texts.items()}
    return row_of(RAW_KUBERNETES_NODES, name=name, cluster=CLUSTER, **spelled, **{"ready": "True"} | given)


@dataclass(frozen=True)
class KubernetesDays:
    """Rows of the raw tables that every day has, and the settings of the cluster."""

    pods: Sequence[Mapping[str, object]]
    nodes: Sequence[Mapping[str, object]] = ()
    workloads: Sequence[Mapping[str, object]] = ()
    claims: Sequence[Mapping[str, object]] = ()
    slices: Sequence[Mapping[str, object]] = ()
    tiers: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    approvals: Sequence[GpuCountApproval] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def table(self, contract: Contract, day: str) -> pl.DataFrame:
        """A raw table of the day; a node record without a stretch of its own is of the whole day."""
        rows = {
            "raw_pods": self.pods, "raw_kubernetes_nodes": self.nodes, "raw_workloads": self.workloads,
            "raw_claims": self.claims, "raw_slices": self.slices,
        }[contract.table]  # fmt: skip
        whole = self.interval(day)
        frame = pl.DataFrame([dict(row) for row in rows], schema=contract.schema).with_columns(day=pl.lit(day))
        if contract is RAW_KUBERNETES_NODES:
            frame = frame.with_columns(
                pl.when(pl.col("statedUntil") > pl.col("statedFrom")).then(bound).otherwise(pl.lit(at)).alias(bound)
                for bound, at in (("statedFrom", whole.start), ("statedUntil", whole.end))
            )
        return keeps(contract, frame.select(contract.column_names))

    def interval(self, day: str) -> Interval:
        """The day, in UTC."""
        return day_interval(day, UTC_ZONE)

    def runs(self, day: str = "2026-07-03") -> pl.DataFrame:
        """contracts.runs of the day."""
        raw = (self.table(contract, day) for contract in (RAW_PODS, RAW_WORKLOADS, RAW_CLAIMS, RAW_SLICES,
                                                          RAW_KUBERNETES_NODES))  # fmt: skip
        runs = kubernetes_runs_of_day(
            *raw, cluster=CLUSTER, day=day, interval=self.interval(day), tiers=self.tiers, classes=self.classes,
            approvals=self.approvals,
        )  # fmt: skip
        return keeps(RUNS, runs)

    def run(self, uid: str, day: str = "2026-07-03") -> dict[str, object]:
        """One run of the day."""
        return self.runs(day).row(by_predicate=pl.col("run") == uid, named=True)

    def holds(self, day: str = "2026-07-03") -> pl.DataFrame:
        """contracts.holds of the day."""
        raw = (self.table(contract, day) for contract in (RAW_PODS, RAW_CLAIMS, RAW_SLICES, RAW_KUBERNETES_NODES))
        holds = kubernetes_holds_of_day(
            self.runs(day), *raw, cluster=CLUSTER, day=day, interval=self.interval(day), aliases=self.aliases
        )
        return keeps(HOLDS, holds)

    def capacity(self, day: str = "2026-07-03") -> pl.DataFrame:
        """contracts.capacity of the day, whose states add up."""
        raw = (self.table(contract, day) for contract in (RAW_KUBERNETES_NODES, RAW_SLICES))
        capacity = kubernetes_capacity_of_day(
            *raw, self.runs(day), self.holds(day), cluster=CLUSTER, day=day, interval=self.interval(day),
            aliases=self.aliases,
        )  # fmt: skip
        states = pl.sum_horizontal(f"{state}_unit_seconds" for state in STATES)
        assert capacity.filter(states != pl.col("capacity_unit_seconds")).is_empty()
        return keeps(CAPACITY, capacity)

    def state(self, state: str, accelerator: str | None = None, day: str = "2026-07-03") -> Fraction:
        """GPU-seconds of the day in a state, exact."""
        return in_state(self.capacity(day), state, accelerator)

    def gpu_seconds(self, *days: str) -> dict[str, Fraction]:
        """GPU-seconds of each run that held any."""
        found: dict[str, Fraction] = {}
        for day in days or ("2026-07-03",):
            for (run,), holds in self.holds(day).group_by("run"):
                found[str(run)] = found.get(str(run), Fraction(0)) + gpu_seconds_of(holds)
        return dict(sorted(found.items()))
