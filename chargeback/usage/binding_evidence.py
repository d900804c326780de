"""What says which GPUs a Slurm run has: prolog maps, indices of `scontrol show job -d`, job maps of the exporter.

Every function returns CLAIMS: each is evidence, not yet a binding (binding_conflicts.py decides). Not here: pods
(pod_evidence.py).
"""

from collections.abc import Mapping

import polars as pl

from chargeback.contracts.bindings import EVIDENCE
from chargeback.usage.device_ids import gpu_or_slice, named_gpu, with_minors
from chargeback.usage.inventory import accelerator_of
from chargeback.usage.mig import parse_slice

CLAIMS = pl.Schema(
    {
        "hold": pl.UInt32(),
        "gpu": pl.String(),
        "rank": pl.Int64(),
        "devices": pl.Int64(),
        "overlap_seconds": pl.Int64(),
    }
)
"""A hold (its number) and a GPU that it has by one kind of evidence (`rank` in EVIDENCE, strongest 0): how many of its
devices lie on that GPU (null: not said), and for how long labels said so during the hold (null: no label did)."""

RANK = {evidence: rank for rank, evidence in enumerate(EVIDENCE)}

EXCLUSIVE = ("whole", "mig")
"""Kinds of sharing under which one hold has the device to itself."""


def claimed(rows: pl.DataFrame, evidence: str) -> pl.DataFrame:
    """CLAIMS of rows with `hold` and `gpu`, and `devices` or `overlap_seconds` where the evidence says them."""
    said = [name if name in rows.columns else pl.lit(None, pl.Int64).alias(name) for name in CLAIMS if name != "rank"]
    return rows.select(said).with_columns(rank=pl.lit(RANK[evidence], pl.Int64)).select(CLAIMS.names()).cast(CLAIMS)


def granted_on_host(holds: pl.DataFrame, raw_bindings: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    """Join what a run was granted on a host with the holds that come of it.

    Input:   holds with `hold`, `job_id_raw` and `started` of their run; contracts.raw_bindings.
    Output:  `hold`, `host`, `sharing`, `count`, `device_indices`, `device_uuids`: by run, host and kind; of several
             accelerators by the granted type.
    """
    types = raw_bindings["gres"].unique().to_list()
    kinds = pl.DataFrame([(gres, *_kind_of(gres, aliases)) for gres in types], schema=_KINDS, orient="row")
    of_run = raw_bindings.join(kinds, on="gres", how="left", validate="m:1").join(
        holds.select("hold", "job_id_raw", "started", "host", "accelerator", "sharing"),
        left_on=["JobIDRaw", "Start", "host"],
        right_on=["job_id_raw", "started", "host"],
        how="inner",
        validate="m:m",
    )
    of_kind = of_run.filter(pl.col("sharing").is_in(pl.col("kinds")))
    is_only_one = pl.col("accelerator").n_unique().over("JobIDRaw", "Start", "host", "gres") == 1
    return of_kind.filter(is_only_one | (pl.col("accelerator") == pl.col("granted_accelerator"))).select(
        "hold", "host", "sharing", "count", "device_indices", "device_uuids"
    )


_KINDS = {"gres": pl.String(), "kinds": pl.List(pl.String()), "granted_accelerator": pl.String()}


def _kind_of(gres: str, aliases: Mapping[str, str]) -> tuple[list[str], str]:
    """Kinds of sharing that a granted resource can be, and its accelerator: `gpu:a100` -> whole."""
    kind, _, gres_type = gres.partition(":")
    if kind != "gpu":
        return [kind], accelerator_of(gres_type, aliases=aliases)
    kinds = ["whole", "mig"] if not gres_type else ["mig" if parse_slice(gres_type) else "whole"]
    return kinds, accelerator_of(gres_type, aliases=aliases)


def prolog_map(granted: pl.DataFrame) -> pl.DataFrame:
    """UUIDs that a prolog wrote down when the job began."""
    named = granted.filter(pl.col("device_uuids").is_not_null()).with_columns(pl.col("device_uuids").str.split(","))
    return claimed(named.explode("device_uuids").with_columns(gpu=named_gpu(pl.col("device_uuids"))), "prolog map")


def minors_of_hosts(raw_device_maps: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """host, minor, gpu: which minor number is which GPU, by the host's own map, else as the exporter says."""
    mapped = raw_device_maps.select("host", "minor", gpu="uuid")
    seen = raw_devices.filter(pl.col("minor").is_not_null(), pl.col("gpu_instance") == "")
    exported = seen.select("host", "minor", "gpu").unique()
    one_each = exported.filter(pl.len().over("host", "minor") == 1)
    return pl.concat([mapped, one_each.join(mapped, on="host", how="anti")])


def scontrol_indices(granted: pl.DataFrame, minors: pl.DataFrame) -> pl.DataFrame:
    """Minor numbers that the controller showed, as the GPUs that they are on that host.

    Without a table an index names nothing: the exporter's index is another one (case D12). An index of a slice counts
    the slices of the host's gres.conf, so it names nothing either.
    """
    indexed = with_minors(granted.filter(pl.col("device_indices").is_not_null()), "device_indices")
    whole = indexed.filter(pl.col("sharing") != "mig")
    found = whole.join(minors, on=["host", "minor"], how="inner", validate="m:1")
    return claimed(found.with_columns(devices=pl.col("parts")), "scontrol index")


def job_labels(holds: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """Job ids that the exporter read from job maps, where the label stood during the hold."""
    labelled = raw_devices.filter(pl.col("hpc_job") != "").select(
        "host", gpu_or_slice(), "seen_from", "seen_until", job=pl.col("hpc_job").str.split(",")
    )
    jobs = labelled.explode("job").with_columns(pl.col("job").str.strip_chars())
    ids = ["job_id", "job_id_raw"]
    of_jobs = holds.unpivot(ids, index=["hold", "host", "held_from", "held_until"], value_name="job").drop("variable")
    return labelled_during(of_jobs.unique().join(jobs, on=["host", "job"], how="inner", validate="m:m"), "hpc_job")


def labelled_during(rows: pl.DataFrame, evidence: str) -> pl.DataFrame:
    """CLAIMS of labels seen [seen_from, seen_until] that stood at some instant of [held_from, held_until)."""
    since, until = pl.max_horizontal("seen_from", "held_from"), pl.min_horizontal("seen_until", "held_until")
    stood = rows.filter(pl.col("seen_from") < pl.col("held_until"), pl.col("seen_until") >= pl.col("held_from"))
    return claimed(stood.with_columns(overlap_seconds=(until - since).dt.total_seconds()), evidence)


def whole_nodes(holds: pl.DataFrame, raw_devices: pl.DataFrame, inventory: pl.DataFrame) -> pl.DataFrame:
    """A hold of all GPUs of a host has exactly the GPUs that telemetry knows there, if these are as many."""
    gpus = (pl.col("capacity_units") // pl.col("units_per_gpu")).sum()
    configured = inventory.group_by("host").agg(configured=gpus)
    seen = raw_devices.filter(pl.col("gpu_instance") == "").select("host", "gpu").unique()
    counted = seen.with_columns(known=pl.len().over("host").cast(pl.Int64))
    held = holds.filter(pl.col("sharing") == "whole").join(configured, on="host", how="inner", validate="m:1")
    all_of_them = held.filter(pl.col("device_count") == pl.col("configured"))
    named = all_of_them.join(counted, on="host", how="inner", validate="m:m")
    return claimed(named.filter(pl.col("known") == pl.col("device_count")), "whole node")
