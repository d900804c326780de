"""A Kubernetes estate in memory: landed objects in, the tables of each day out, by the rules that the assets call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import day_interval
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import INSTANT, Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.usage.capacity import kubernetes_capacity_of_day
from chargeback.usage.claim_observations import raw_claims_of_day
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.kubernetes_workloads import parse_workloads
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from chargeback.usage.pod_observations import raw_pods_of_day
from chargeback.usage.slice_observations import raw_slices_of_day
from chargeback.usage.workload_observations import raw_workloads_of_day
from tests.chargeback.usage.sacct_days import gpu_seconds_of, keeps

CLUSTER = "k8s-b"
UTC_ZONE = ZoneInfo("UTC")

PARSERS = {
    "pods": parse_pods,
    "nodes": parse_kubernetes_nodes,
    "workloads": parse_workloads,
    "claims": parse_claims,
}


@dataclass(frozen=True)
class Day:
    """runs, holds and capacity of one day."""

    runs: pl.DataFrame
    holds: pl.DataFrame
    capacity: pl.DataFrame

    @property
    def gpu_seconds(self) -> dict[str, Fraction]:
        """Run -> GPU-seconds."""
        found: dict[str, Fraction] = {}
        for (run,), holds in self.holds.group_by("run"):
            found[str(run)] = gpu_seconds_of(holds)
        return dict(sorted(found.items()))


@dataclass(frozen=True)
class KubernetesEstate:
    """Objects as (pods, nodes, workloads or claims; extracted at; content), and the settings of the cluster."""

    objects: Sequence[tuple[str, datetime, bytes]]
    zone: ZoneInfo = UTC_ZONE
    tiers: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def observed(self) -> dict[str, tuple[pl.DataFrame, pl.DataFrame]]:
        """Observations and listings of each source that landed, each object parsed once."""
        found: dict[str, tuple[list[pl.DataFrame], list[tuple[datetime, str]]]] = {}
        for number, (source, at, content) in enumerate(self.objects):
            extract = PARSERS[source](content, cluster=CLUSTER)
            assert extract.quarantined == ()
            frames, listings = found.setdefault(source, ([], []))
            frames.append(
                extract.frame.with_columns(object=pl.lit(f"{source}/{number}"), extracted_at=pl.lit(at, dtype=INSTANT))
            )
            listings += [(at, kind) for kind in sorted(extract.full_listings_of)]
        schema = {"extracted_at": INSTANT, "kind": pl.String()}
        return {
            source: (pl.concat(frames), pl.DataFrame(listings, schema=schema, orient="row"))
            for source, (frames, listings) in found.items()
        }

    def raw(self, contract: Contract, source: str, fold: Callable[..., pl.DataFrame], day: str) -> pl.DataFrame:
        """A raw table of a day; empty where nothing of its source landed."""
        if source not in self.observed:
            return contract.empty()
        interval = day_interval(day, self.zone)
        return keeps(contract, fold(*self.observed[source], cluster=CLUSTER, day=day, interval=interval))

    def day(self, day: str) -> Day:
        """The tables of a day."""
        common = {"cluster": CLUSTER, "day": day, "interval": day_interval(day, self.zone)}
        pods = self.raw(RAW_PODS, "pods", raw_pods_of_day, day)
        nodes = self.raw(RAW_KUBERNETES_NODES, "nodes", raw_kubernetes_nodes_of_day, day)
        workloads = self.raw(RAW_WORKLOADS, "workloads", raw_workloads_of_day, day)
        claims = self.raw(RAW_CLAIMS, "claims", raw_claims_of_day, day)
        slices = self.raw(RAW_SLICES, "claims", raw_slices_of_day, day)
        runs = kubernetes_runs_of_day(
            pods, workloads, claims, slices, nodes, **common, tiers=self.tiers, classes={}, approvals=()
        )
        holds = kubernetes_holds_of_day(runs, pods, claims, slices, nodes, **common, aliases=self.aliases)
        capacity = kubernetes_capacity_of_day(nodes, slices, runs, holds, **common, aliases=self.aliases)
        return Day(keeps(RUNS, runs), keeps(HOLDS, holds), keeps(CAPACITY, capacity))
