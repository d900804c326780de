"""bindings of a day: which GPUs and slices each hold has, and what says so. A hold without evidence stays unbound.

The scheduler says how long a hold lasts, evidence only which device it was: a label that outlives its hold binds
nothing beyond it. Not here: kinds of evidence (binding_evidence.py, pod_evidence.py), who wins (binding_conflicts.py).
"""

from collections.abc import Mapping

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.bindings import BINDINGS, EVIDENCE
from chargeback.usage.binding_conflicts import Settled, settle
from chargeback.usage.binding_evidence import (
    EXCLUSIVE,
    granted_on_host,
    job_labels,
    minors_of_hosts,
    prolog_map,
    scontrol_indices,
    whole_nodes,
)
from chargeback.usage.device_ids import known_devices, uuid_of_gpu
from chargeback.usage.pod_evidence import (
    allocated_by_annotation,
    claimed_devices,
    pod_labels,
    pod_resources,
    shared_by_group,
)
from chargeback.usage.telemetry_hosts import as_scheduled

NOT_SPLIT = "not split"

NO_ALIASES: Mapping[str, str] = {}

FINDINGS = pl.Schema({"key": pl.String(), "expected": pl.String(), "observed": pl.String()})


def bindings_of_day(
    holds: pl.DataFrame,
    runs: pl.DataFrame,
    raw_bindings: pl.DataFrame,
    raw_device_maps: pl.DataFrame,
    raw_pods: pl.DataFrame,
    raw_claims: pl.DataFrame,
    raw_slices: pl.DataFrame,
    raw_devices: pl.DataFrame,
    inventory: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,  # noqa: ARG001  (holds are cut to it already)
    aliases: Mapping[str, str] = NO_ALIASES,
) -> pl.DataFrame:
    """Bind holds to the GPUs and slices that evidence names.

    Input:   the contracts' tables of one (cluster, day), empty where its scheduler has none; `inventory`: INVENTORY of
             its node records; `aliases` map lower-cased gres types to accelerators.
    Output:  contracts.bindings, sorted by its key. A binding lasts as long as its hold. What evidence does not name, or
             two holds claim alike, stays unbound. A hold that could not be split over its hosts has no binding.
    Source:  design.md 2 "binding"; cases D06, D12, D13, D14.
    """
    numbered = numbered_holds(holds, runs)
    tables = (raw_bindings, raw_device_maps, raw_pods, raw_claims, raw_slices, raw_devices, inventory)
    bound = _settled(numbered, _holding_nothing(runs), *tables, aliases=aliases).bound
    evidence = dict(enumerate(EVIDENCE))
    return (
        numbered.join(bound, on="hold", how="inner", validate="1:m")
        .join(
            _numbers_of_devices(as_scheduled(raw_devices, numbered["host"])),
            on=["gpu", "host"],
            how="left",
            validate="m:1",
        )
        .join(_numbers_of_gpus(raw_devices), on="gpu", how="left", validate="m:1")
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            device=pl.coalesce("device", "device_anywhere"),
            share_units=pl.col("share_units") * pl.col("devices"),
            evidence=pl.col("rank").replace_strict(evidence, return_dtype=pl.String),
            is_estimate=~pl.col("sharing").is_in(EXCLUSIVE),
        )
        .select(BINDINGS.column_names)
        .sort(BINDINGS.key)
    )


def contested_devices(
    holds: pl.DataFrame, runs: pl.DataFrame, *tables: pl.DataFrame, aliases: Mapping[str, str] = NO_ALIASES
) -> pl.DataFrame:
    """GPUs and slices that holds claim at overlapping times by equally good evidence, so that none of them has it.

    Input:   as of bindings_of_day, in its order. Output: findings `key`, `expected`, `observed`, sorted by key.
    """
    numbered = numbered_holds(holds, runs)
    contested = _settled(numbered, _holding_nothing(runs), *tables, aliases=aliases).contested
    evidence = dict(enumerate(EVIDENCE))
    claims = contested.join(numbered, on="hold", how="left", validate="m:1").with_columns(
        spelled=pl.format("{} {} .. {}", "job_id", "held_from", "held_until"),
        evidence=pl.col("rank").replace_strict(evidence, return_dtype=pl.String),
    )
    return (
        claims.group_by("host", "gpu")
        .agg(
            observed=pl.col("spelled").sort().str.join("; "), evidence=pl.col("evidence").unique().sort().str.join(", ")
        )
        .select(
            key=pl.format("{} {}", "host", "gpu"),
            expected=pl.format("one hold at a time; claimed by {}", "evidence"),
            observed="observed",
        )
        .cast(FINDINGS)
        .sort("key")
    )


def numbered_holds(holds: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Holds on one host with a number, `hold`, and how people and the scheduler call their run."""
    named = runs.select("run", "job_id", "job_id_raw", "started")
    on_hosts = holds.filter(pl.col("split") != NOT_SPLIT).sort("run", "host", "accelerator", "sharing", "held_from")
    return on_hosts.join(named, on="run", how="left", validate="m:1", maintain_order="left").with_row_index("hold")


def _holding_nothing(runs: pl.DataFrame) -> pl.Series:
    """Runs that reserve for others."""
    return runs.filter(pl.col("gpu_count_basis") == "holds nothing itself")["run"]


def _settled(
    numbered: pl.DataFrame,
    reservations: pl.Series,
    raw_bindings: pl.DataFrame,
    raw_device_maps: pl.DataFrame,
    raw_pods: pl.DataFrame,
    raw_claims: pl.DataFrame,
    raw_slices: pl.DataFrame,
    raw_devices: pl.DataFrame,
    inventory: pl.DataFrame,
    *,
    aliases: Mapping[str, str],
) -> Settled:
    raw_devices = as_scheduled(raw_devices, numbered["host"], inventory["host"])
    granted = granted_on_host(numbered, raw_bindings, aliases)
    claims = pl.concat(
        [
            prolog_map(granted),
            claimed_devices(numbered, raw_claims, raw_slices, raw_devices),
            pod_resources(numbered, raw_claims, raw_slices, raw_devices),
            allocated_by_annotation(numbered, raw_pods),
            shared_by_group(numbered, reservations, raw_pods, raw_claims, raw_devices),
            scontrol_indices(granted, minors_of_hosts(raw_device_maps, raw_devices)),
            job_labels(numbered, raw_devices),
            pod_labels(numbered, raw_devices),
            whole_nodes(numbered, raw_devices, inventory),
        ]
    )
    return settle(numbered, _fitting(claims, numbered, raw_devices))


def _fitting(claims: pl.DataFrame, numbered: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """Claims of a device of the hold's kind: a whole GPU, or a slice that has the hold's profile while it is held.

    Instance ids are used again with other profiles; a slice that telemetry did not see meanwhile may be any.
    """
    is_slice = pl.col("gpu") != uuid_of_gpu(pl.col("gpu"))
    named = claims.join(
        numbered.select("hold", "sharing", "held_from", "held_until", profile="slice_profile"), on="hold", how="inner"
    )
    seen = named.filter(is_slice).select("hold", "gpu", "profile", "held_from", "held_until").unique()
    seen = seen.join(known_devices(raw_devices), on="gpu", how="inner", validate="m:m").filter(
        pl.col("seen_from") < pl.col("held_until"), pl.col("seen_until") >= pl.col("held_from")
    )
    of_hold = seen.group_by("hold", "gpu").agg(is_fit=(pl.col("profile") == pl.col("slice_profile")).any())
    fits_slice = is_slice & pl.col("is_fit").fill_null(True)
    fits = pl.when(pl.col("sharing") == "mig").then(fits_slice).otherwise((pl.col("sharing") != "whole") | ~is_slice)
    return named.join(of_hold, on=["hold", "gpu"], how="left", validate="m:1").filter(fits).select(claims.columns)


def _numbers_of_devices(raw_devices: pl.DataFrame) -> pl.DataFrame:
    """gpu, host -> device."""
    return known_devices(raw_devices).select("gpu", "host", "device").unique(["gpu", "host"], keep="first")


def _numbers_of_gpus(raw_devices: pl.DataFrame) -> pl.DataFrame:
    """gpu -> device_anywhere, for hosts that telemetry calls something else, where only one has it."""
    numbers = known_devices(raw_devices).select("gpu", device_anywhere="device").unique()
    return numbers.filter(pl.len().over("gpu") == 1)
