"""The tables of a simulated Kubernetes day, out of all that landed, through the rules that the assets call."""

from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.simulation.estate_plan import KUBERNETES
from chargeback.simulation.pod_run import TIERS
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from chargeback.usage.pod_observations import raw_pods_of_day
from resources.parsers import parser_of
from tests.chargeback.simulation.simulated import ZONE, SimulatedEstate, content_of

TIERS_BUT_STANDARD = {name: tier for name, tier in TIERS.items() if tier != "standard"}


@dataclass(frozen=True)
class KubernetesTables:
    """Tables of one day."""

    raw_pods: pl.DataFrame
    raw_nodes: pl.DataFrame
    raw_workloads: pl.DataFrame
    runs: pl.DataFrame
    holds: pl.DataFrame


@lru_cache(maxsize=8)
def kubernetes_day(estate: SimulatedEstate, day: str) -> KubernetesTables:
    """All tables of one day of the Kubernetes cluster."""
    interval = day_interval(day, ZONE)
    common = {"cluster": KUBERNETES, "day": day, "interval": interval}
    pods = raw_pods_of_day(*observed(estate, KUBERNETES, "kubernetes/pods"), **common)
    nodes = raw_kubernetes_nodes_of_day(*observed(estate, KUBERNETES, "kubernetes/nodes"), **common)
    workloads = _workloads(estate, day, interval)
    claims, slices = RAW_CLAIMS.empty(), RAW_SLICES.empty()
    runs = kubernetes_runs_of_day(
        pods, workloads, claims, slices, nodes, **common, tiers=TIERS_BUT_STANDARD, classes={}, approvals=()
    )
    holds = kubernetes_holds_of_day(runs, pods, claims, slices, nodes, **common, aliases={})
    return KubernetesTables(pods, nodes, workloads, runs, holds)


def _workloads(estate: SimulatedEstate, day: str, interval: Interval) -> pl.DataFrame:
    return RAW_WORKLOADS.empty()


@lru_cache(maxsize=16)
def observed(estate: SimulatedEstate, cluster: str, source: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Observations of one source with their place, and the full listings among them."""
    frames, listings = [], []
    for number, made in enumerate(estate.landed(cluster, source)):
        extract = parsed(estate, cluster, source)[number]
        if extract is None:
            continue
        place = {"object": pl.lit(f"{source}/{number:04}"), "extracted_at": pl.lit(made.extracted_at, dtype=INSTANT)}
        frames.append(extract.frame.with_columns(**place))
        listings += [(f"{source}/{number:04}", made.extracted_at, kind) for kind in sorted(extract.full_listings_of)]
    schema = {"object": pl.String(), "extracted_at": INSTANT, "kind": pl.String()}
    return pl.concat(frames), pl.DataFrame(listings, schema=schema, orient="row")


@lru_cache(maxsize=16)
def parsed(estate: SimulatedEstate, cluster: str, source: str) -> list[ParsedExtract | None]:
    """Every object of a source through its parser; None for one that cannot be read."""
    found: list[ParsedExtract | None] = []
    for made in estate.landed(cluster, source):
        try:
            read = parser_of(source, made.extension.removesuffix(".gz"))
            found.append(read(content_of(made), cluster=cluster, zone=ZONE))
        except UnreadableExtract:
            found.append(None)
    return found
