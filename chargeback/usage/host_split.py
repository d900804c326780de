"""How the devices that a run was granted lie on its hosts: recorded, by what the hosts have, evenly, or not split.

AllocTRES is the total of a job. Which host had how many is recorded only while the job runs (raw_bindings).
Source: design.md 5.2, last sentence. Not here: what a device is of a GPU.
"""

import polars as pl

from chargeback.usage.host_gpus import configured_gpus, gpus_of_hosts
from chargeback.usage.hostlist import expand_hosts
from chargeback.usage.tres import gpu_part, parse_each

UNKNOWN_HOST = "unknown"

GRANTS = {
    "gpu_tres": pl.String,
    "granted_kind": pl.String,
    "granted_type": pl.String,
    "granted": pl.Int64,
}

GRANT = ["run", "granted_kind", "granted_type"]

ON_HOST = [*GRANT, "sampled_type", "host", "any_host", "device_count", "split"]


def grants_by_host(runs: pl.DataFrame, raw_nodes: pl.DataFrame, raw_bindings: pl.DataFrame) -> pl.DataFrame:
    """Split what each run was granted over its hosts.

    Input:   contracts.runs with a count; raw_nodes and raw_bindings of the same day.
    Output:  run, granted_kind (gpu, shard, mps), granted_type (where none was recorded: sampled, or the host's only
             type, else empty), host, any_host (one of them where host is a set), device_count, split. Counts of a run
             add up to its gpu_count. Per-host counts that were sampled are taken where they add up to what was granted.
             Else a type lies only on hosts that have it; a total that is all they have is theirs; an even split is
             marked assumed; what is left stands on the whole set of hosts.
    """
    grants = _grants(runs)
    recorded = _recorded(grants, raw_bindings)
    rest = grants.join(recorded.select(GRANT).unique(), on=GRANT, how="anti")
    placed = pl.concat([recorded, _computed(rest, raw_nodes)])
    types = gpus_of_hosts(raw_nodes).select("host", "gpu_type", "whole_type")
    host_type = pl.when(pl.col("granted_kind") == "gpu").then("gpu_type").otherwise("whole_type")
    return (
        placed.join(types, left_on="any_host", right_on="host", how="left", validate="m:1")
        .with_columns(
            granted_type=pl.when(pl.col("granted_type") != "")
            .then("granted_type")
            .otherwise(pl.coalesce("sampled_type", host_type, pl.lit("")))
        )
        .drop("sampled_type", "gpu_type", "whole_type")
    )


def _grants(runs: pl.DataFrame) -> pl.DataFrame:
    """One row per run, kind and type; an approved count is of no recorded type."""
    recorded = runs.filter(pl.col("gpu_count_basis") == "recorded")
    recorded = recorded.with_columns(gpu_tres=gpu_part(pl.col("alloc_tres")))
    granted, _ = parse_each(recorded["gpu_tres"].unique().to_list())
    rows = [(text, gres.kind, gres.type, gres.count) for text, tres in granted.items() for gres in tres.gres]
    parts = pl.DataFrame(rows, schema=GRANTS, orient="row")
    approved = runs.filter(pl.col("gpu_count_basis") == "approved").select(
        "run",
        "job_id_raw",
        "started",
        "hosts",
        granted_kind=pl.lit("gpu"),
        granted_type=pl.lit(""),
        granted=pl.col("gpu_count"),
    )
    typed = recorded.join(parts, on="gpu_tres", how="inner", validate="m:m").select(approved.columns)
    return pl.concat([typed, approved])


def _recorded(grants: pl.DataFrame, raw_bindings: pl.DataFrame) -> pl.DataFrame:
    """The grants whose sampled per-host counts add up to them."""
    kind_and_type = pl.col("gres").str.split_exact(":", 1)
    sampled = raw_bindings.select(
        pl.col("JobIDRaw").alias("job_id_raw"),
        pl.col("Start").alias("started"),
        "host",
        granted_kind=kind_and_type.struct.field("field_0"),
        sampled_type=kind_and_type.struct.field("field_1").fill_null("").str.to_lowercase(),
        device_count=pl.col("count"),
    )
    has_type = pl.col("sampled_type") != ""
    sampled = sampled.filter(has_type | ~has_type.any().over("job_id_raw", "started", "granted_kind"))
    matching = grants.join(sampled, on=["job_id_raw", "started", "granted_kind"], how="inner").filter(
        (pl.col("granted_type") == pl.col("sampled_type"))
        | (pl.col("granted_type") == "")
        | (pl.col("sampled_type") == "")
    )
    whole = matching.filter(
        pl.col("device_count").sum().over(GRANT) == pl.col("granted"),
        pl.col("sampled_type").n_unique().over(GRANT) == 1,
    )
    one_host = pl.col("host").n_unique().over(GRANT) == 1
    return whole.with_columns(
        sampled_type=pl.when(pl.col("sampled_type") != "").then("sampled_type"),
        any_host=pl.col("host"),
        split=pl.when(one_host).then(pl.lit("one host")).otherwise(pl.lit("recorded")),
    ).select(ON_HOST)


def _computed(grants: pl.DataFrame, raw_nodes: pl.DataFrame) -> pl.DataFrame:
    """Grants without sampled counts, split by what the node records say, else evenly, else not."""
    candidates = _candidates(grants, raw_nodes)
    fits = pl.col("configured").is_null() | (pl.col("even") <= pl.col("configured"))
    candidates = candidates.with_columns(
        width=pl.len().over(GRANT),
        is_all_they_have=(pl.col("configured").sum().over(GRANT) == pl.col("granted"))
        & pl.col("configured").is_not_null().all().over(GRANT),
        even=pl.col("granted") // pl.len().over(GRANT),
    ).with_columns(
        is_even=(pl.col("granted") % pl.col("width") == 0) & fits.all().over(GRANT),
    )
    count = pl.when("is_all_they_have").then("configured").otherwise("even")
    split = pl.when(pl.col("width") == 1).then(pl.lit("one host")).otherwise(pl.lit("assumed"))
    can_split = (pl.col("width") == 1) | pl.col("is_all_they_have") | pl.col("is_even")
    apart = candidates.filter(can_split).with_columns(
        device_count=pl.when(pl.col("width") == 1).then("granted").otherwise(count),
        any_host=pl.col("host"),
        split=split,
    )
    together = (
        candidates.filter(~can_split)
        .group_by(*GRANT, "hosts", "granted")
        .agg(any_host=pl.col("host").min())
        .with_columns(host=pl.col("hosts"), device_count=pl.col("granted"), split=pl.lit("not split"))
    )
    unsampled = [frame.with_columns(sampled_type=pl.lit(None, pl.String)) for frame in (apart, together)]
    return pl.concat([frame.select(ON_HOST) for frame in unsampled])


def _candidates(grants: pl.DataFrame, raw_nodes: pl.DataFrame) -> pl.DataFrame:
    """One row per grant and host that may hold of it, with what the host has of it (null where nobody knows)."""
    lists = grants["hosts"].unique().to_list()
    expanded = [(text, host) for text in lists for host in (expand_hosts(text or "") or (UNKNOWN_HOST,))]
    hosts = pl.DataFrame(expanded, schema={"hosts": pl.String, "host": pl.String}, orient="row")
    by_type = configured_gpus(raw_nodes)
    any_type = by_type.group_by("host").agg(pl.col("configured").sum()).with_columns(gpu_type=pl.lit(""))
    configured = pl.concat([by_type.filter(pl.col("gpu_type") != ""), any_type.select(by_type.columns)])
    configured = configured.with_columns(granted_kind=pl.lit("gpu"))
    on_hosts = grants.join(hosts, on="hosts", how="inner", nulls_equal=True).join(
        configured,
        left_on=["host", "granted_kind", "granted_type"],
        right_on=["host", "granted_kind", "gpu_type"],
        how="left",
        validate="m:1",
    )
    somebody_has_it = pl.col("configured").is_not_null().any().over(GRANT)
    return on_hosts.filter(~somebody_has_it | pl.col("configured").is_not_null())
