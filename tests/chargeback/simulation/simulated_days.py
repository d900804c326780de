"""The tables of a simulated day, out of all that landed, through the rules that the assets call.

Not here: what is true (simulated.py).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import polars as pl

from chargeback.attribution.hourly import attribute_hours
from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.billing_period import day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.simulation.estate_plan import KUBERNETES, MODELS, SLURM
from chargeback.simulation.pod_run import TIERS as PRIORITY_TIERS
from chargeback.simulation.slurm_run import TIERS as QOS_TIERS
from chargeback.usage.bindings import bindings_of_day
from chargeback.usage.capacity import capacity_of_day, kubernetes_capacity_of_day
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.inventory import inventory_of
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_inventory import kubernetes_inventory_of
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from chargeback.usage.pod_observations import raw_pods_of_day
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.set_members import members_of
from chargeback.usage.slurm_devices import raw_device_maps_of_day
from chargeback.usage.slurm_events import raw_events_of_day
from chargeback.usage.slurm_holds import holds_of_day
from chargeback.usage.slurm_job_details import raw_bindings_of_day
from chargeback.usage.slurm_nodes import raw_nodes_of_day
from chargeback.usage.slurm_reservations import raw_reservations_of_day
from chargeback.usage.slurm_runs import runs_of_day
from chargeback.usage.telemetry_of_day import telemetry_of_day
from chargeback.usage.workload_observations import raw_workloads_of_day
from resources.parsers import parser_of
from tests.chargeback.simulation.simulated import ZONE, SimulatedEstate, content_of

ALIASES = {model.gres: model.accelerator for model in MODELS}
SCRAPES = 3
ACTIVE_ABOVE_PPM = 200_000


@dataclass(frozen=True)
class Tables:
    """Tables of one (cluster, day)."""

    runs: pl.DataFrame
    holds: pl.DataFrame
    capacity: pl.DataFrame
    evidence: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]
    """raw_bindings, raw_device_maps and raw_pods: empty where the scheduler has none."""

    inventory: pl.DataFrame


@dataclass(frozen=True)
class Measured:
    """What telemetry adds to them."""

    raw_devices: pl.DataFrame
    bindings: pl.DataFrame
    attribution: pl.DataFrame
    unallocated: pl.DataFrame


def tables_of(estate: SimulatedEstate, cluster: str, day: str) -> Tables:
    """Runs, holds and capacity of a day of either cluster."""
    return _slurm_day(estate, day) if cluster == SLURM else _kubernetes_day(estate, day)


@lru_cache(maxsize=32)
def _slurm_day(estate: SimulatedEstate, day: str) -> Tables:
    common = _common(SLURM, day)
    seen = {name: observed(estate, SLURM, f"slurm/{name}")[0]
            for name in ("sacct", "nodes", "events", "reservations", "bindings", "devices")}  # fmt: skip
    partitions = frozenset().union(*(each.gpu_partitions for each in parsed(estate, SLURM, "slurm/sacct") if each))
    sacct = raw_sacct_of_day(seen["sacct"], **common, gpu_partitions=partitions)
    nodes = raw_nodes_of_day(seen["nodes"], **common)
    bindings = raw_bindings_of_day(seen["bindings"], **common)
    runs = runs_of_day(sacct, nodes, bindings, **common, tiers=_but_standard(QOS_TIERS), approvals=())
    holds = holds_of_day(runs, nodes, bindings, **common, aliases=ALIASES)
    events = raw_events_of_day(seen["events"], **common)
    reservations = raw_reservations_of_day(seen["reservations"], **common)
    capacity = capacity_of_day(nodes, events, reservations, runs, holds, **common, aliases=ALIASES)
    maps = raw_device_maps_of_day(seen["devices"], **common)
    inventory = inventory_of(nodes, aliases=ALIASES)
    return Tables(runs, holds, capacity, (bindings, maps, RAW_PODS.empty()), inventory)


@lru_cache(maxsize=32)
def _kubernetes_day(estate: SimulatedEstate, day: str) -> Tables:
    common = _common(KUBERNETES, day)
    pods = raw_pods_of_day(*observed(estate, KUBERNETES, "kubernetes/pods"), **common)
    nodes = raw_kubernetes_nodes_of_day(*observed(estate, KUBERNETES, "kubernetes/nodes"), **common)
    workloads = raw_workloads_of_day(*observed(estate, KUBERNETES, "kubernetes/workloads"), **common)
    claims, slices = RAW_CLAIMS.empty(), RAW_SLICES.empty()
    runs = kubernetes_runs_of_day(
        pods, workloads, claims, slices, nodes, **common, tiers=_but_standard(PRIORITY_TIERS), classes={}, approvals=()
    )
    holds = kubernetes_holds_of_day(runs, pods, claims, slices, nodes, **common, aliases=ALIASES)
    capacity = kubernetes_capacity_of_day(nodes, slices, runs, holds, **common, aliases=ALIASES)
    inventory = kubernetes_inventory_of(nodes, aliases=ALIASES)
    return Tables(runs, holds, capacity, (RAW_BINDINGS.empty(), RAW_DEVICE_MAPS.empty(), pods), inventory)


@lru_cache(maxsize=32)
def measured(estate: SimulatedEstate, cluster: str, day: str) -> Measured:
    """Devices, bindings and attribution of a day of either cluster."""
    common = _common(cluster, day)
    tables = tables_of(estate, cluster, day)
    staleness = SCRAPES * int(str(estate.truth.arguments["scrape_seconds"]))
    devices, samples = telemetry_of_day(observed(estate, cluster, "dcgm")[0], **common, staleness_seconds=staleness)
    bindings, maps, pods = tables.evidence
    evidence = (bindings, maps, pods, RAW_CLAIMS.empty(), RAW_SLICES.empty(), devices)
    bound = bindings_of_day(tables.holds, tables.runs, *evidence, tables.inventory, **common, aliases=ALIASES)
    limits = {"active_above_ppm": ACTIVE_ABOVE_PPM, "staleness_seconds": staleness}
    attribution = attribute_hours(tables.holds, bound, tables.runs, samples, **common, **limits)
    members = members_of(tables.holds["host"])
    unallocated = unallocated_activity_of_day(
        tables.holds, bound, samples, devices, inventory=tables.inventory, members=members, **common, **limits
    )
    return Measured(devices, bound, attribution, unallocated)


def _common(cluster: str, day: str) -> dict[str, Any]:
    return {"cluster": cluster, "day": day, "interval": day_interval(day, ZONE)}


def _but_standard(tiers: dict[str, str]) -> dict[str, str]:
    return {name: tier for name, tier in tiers.items() if tier != "standard"}


@lru_cache(maxsize=32)
def observed(estate: SimulatedEstate, cluster: str, source: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Observations of one source with their place, and the full listings among them."""
    frames, listings = [], []
    for number, made in enumerate(estate.landed(cluster, source)):
        extract = parsed(estate, cluster, source)[number]
        if extract is None:
            continue
        name, at = f"{source}/{number:04}", pl.lit(made.extracted_at, dtype=INSTANT)
        until = pl.coalesce("overlaps_until", pl.max_horizontal("overlaps_from", at))
        frames.append(extract.frame.with_columns(object=pl.lit(name), extracted_at=at, overlaps_until=until))
        listings += [(name, made.extracted_at, kind) for kind in sorted(extract.full_listings_of)]
    schema = {"object": pl.String(), "extracted_at": INSTANT, "kind": pl.String()}
    return pl.concat(frames), pl.DataFrame(listings, schema=schema, orient="row")


@lru_cache(maxsize=32)
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
