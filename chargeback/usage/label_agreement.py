"""Where labels and indices disagree with the scheduler: stale labels, strangers, indices that name nothing.

None of it changes a charge or a binding's time (the scheduler's interval wins, case D06); somebody may want to mend an
exporter. Every function returns findings `key`, `expected`, `observed`, sorted. Not here: which checks read them.
"""

from collections.abc import Mapping

import polars as pl

from chargeback.usage.binding_evidence import granted_on_host, minors_of_hosts
from chargeback.usage.bindings import FINDINGS, numbered_holds
from chargeback.usage.device_ids import gpu_or_slice, with_minors
from chargeback.usage.telemetry_hosts import as_scheduled

HOLDS_NOTHING = pl.col("gpu_count_basis") == "holds nothing itself"

CLOCK = "%Y-%m-%dT%H:%M:%SZ"


def labels_against_holds(
    raw_devices: pl.DataFrame, runs: pl.DataFrame, bindings: pl.DataFrame, *, tolerance_seconds: int
) -> pl.DataFrame:
    """Workload labels on devices that the workload did not hold then, or at all.

    Input:   contracts of one (cluster, day). `tolerance_seconds`: how far a label may lag behind its hold. Labels of
             reservation pods stand for the pods of their group, so they are left out.
    Source:  case D06.
    """
    labelled = _labelled(raw_devices).join(_named(runs.filter(HOLDS_NOTHING)), on="label", how="anti")
    held = _held(runs, bindings)
    tolerance = pl.duration(seconds=tolerance_seconds)
    meanwhile = (pl.col("held_from") <= pl.col("seen_until") + tolerance) & (
        pl.col("held_until") >= pl.col("seen_from") - tolerance
    )
    spans = labelled.join(held, on=["label", "gpu"], how="inner", validate="m:m").filter(meanwhile)
    spans = spans.group_by(labelled.columns).agg(pl.col("held_from").min(), pl.col("held_until").max())
    judged = labelled.join(spans, on=labelled.columns, how="left", validate="1:1")
    agrees = (pl.col("seen_from") >= pl.col("held_from") - tolerance) & (
        pl.col("seen_until") <= pl.col("held_until") + tolerance
    )
    held_text = pl.format("held {} .. {}", _clock("held_from"), _clock("held_until"))
    each = ["host", "gpu", "shown", "held_from", "held_until"]
    disagreeing = judged.filter(~agrees.fill_null(False)).group_by(each).agg(
        pl.col("seen_from").min(), pl.col("seen_until").max()
    )  # fmt: skip
    return _findings(
        disagreeing,
        key=pl.format("{} {} labelled {}", "host", "gpu", "shown"),
        expected=pl.coalesce(held_text, pl.lit("a workload that has this GPU by scheduler and evidence")),
        observed=pl.format("labelled {} .. {}", _clock("seen_from"), _clock("seen_until")),
    )


def indices_without_table(
    holds: pl.DataFrame,
    runs: pl.DataFrame,
    bindings: pl.DataFrame,
    raw_bindings: pl.DataFrame,
    raw_device_maps: pl.DataFrame,
    raw_devices: pl.DataFrame,
    *,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """Device indices of unbound holds, on hosts with telemetry, that no table translates: they are refused.

    Source: case D12: the index of the exporter is another one, so joining on it would charge the neighbour's GPU.
    """
    numbered = numbered_holds(holds, runs)
    raw_devices = as_scheduled(raw_devices, numbered["host"])
    indexed = granted_on_host(numbered, raw_bindings, aliases).filter(
        pl.col("device_indices").is_not_null(), pl.col("sharing") != "mig"
    )
    known = minors_of_hosts(raw_device_maps, raw_devices).select("host", "minor")
    unknown = with_minors(indexed, "device_indices").join(known, on=["host", "minor"], how="anti")
    key = ["run", "host", "accelerator", "sharing", "held_from"]
    unbound = (
        numbered.join(bindings, on=key, how="anti").join(raw_devices, on="host", how="semi").select("hold", "job_id")
    )
    refused = (
        unknown.join(unbound, on="hold", how="inner", validate="m:1")
        .group_by("hold", "job_id", "host")
        .agg(pl.col("minor").unique().sort().cast(pl.String).str.join(","))
    )
    return _findings(
        refused,
        key=pl.format("{} on {}", "job_id", "host"),
        expected=pl.lit("a device map of the host (minor number -> UUID), or minor numbers in its telemetry"),
        observed=pl.format("index {} without either: refused, unbound", "minor"),
    )


def _labelled(raw_devices: pl.DataFrame) -> pl.DataFrame:
    """host, gpu, seen_from, seen_until, label (uid of the pod if it is said, else the pod, or job) and as shown."""
    pod = pl.concat_str("namespace", "pod", separator="/")
    uid_or_pod = pl.when(pl.col("pod_uid") != "").then("pod_uid").otherwise(pod)
    columns = ("host", gpu_or_slice(), "seen_from", "seen_until")
    pods = raw_devices.filter(pl.col("pod") != "").select(*columns, label=uid_or_pod, shown=pod)
    jobs = raw_devices.filter(pl.col("hpc_job") != "").select(*columns, label=pl.col("hpc_job").str.split(","))
    jobs = jobs.explode("label").with_columns(pl.col("label").str.strip_chars()).with_columns(shown="label")
    return pl.concat([pods, jobs]).unique()


def _held(runs: pl.DataFrame, bindings: pl.DataFrame) -> pl.DataFrame:
    """label, gpu, held_from, held_until of every binding."""
    names = _named(runs)
    return names.join(bindings, on="run", how="inner", validate="m:m").select("label", "gpu", "held_from", "held_until")


def _named(runs: pl.DataFrame) -> pl.DataFrame:
    """run, label: under every name that a label may have."""
    names = ["job_id", "job_id_raw"]
    every = runs.select("run", *names).unpivot(names, index="run", value_name="label")
    return every.select("run", "label").unique()


def _clock(instant: str) -> pl.Expr:
    return pl.col(instant).dt.strftime(CLOCK)


def _findings(rows: pl.DataFrame, *, key: pl.Expr, expected: pl.Expr, observed: pl.Expr) -> pl.DataFrame:
    return rows.select(key=key, expected=expected, observed=observed).cast(FINDINGS).sort("key", "observed")
