"""How many GPUs a Slurm run was granted, and where that figure comes from: recorded, none, approved or unknown.

A job on a GPU node without a count is unknown, never zero; an explicit gres/gpu=0 is a known zero (design.md 5.2).
Not here: on which host the GPUs were (slurm_holds.py).
"""

from collections.abc import Sequence

import polars as pl

from chargeback.usage.gpu_approvals import GpuCountApproval
from chargeback.usage.host_gpus import gpus_of_hosts
from chargeback.usage.hostlist import expand_hosts
from chargeback.usage.tres import gpu_part, parse_each

TRES_COUNTS = {
    "tres": pl.String(),
    "devices": pl.Int64(),
    "shards": pl.Int64(),
    "names_gpus": pl.Boolean(),
}


def with_gpu_counts(
    started: pl.DataFrame, raw_nodes: pl.DataFrame, *, cluster: str, approvals: Sequence[GpuCountApproval]
) -> pl.DataFrame:
    """Add gpu_count, gpu_count_basis and declared_gpus to rows of raw_sacct with a `run` column.

    Output:  same rows. Basis: `never started` (count null); `recorded`; `no GPUs` (0: explicit, or no GPU host and no
             GPU partition, or held for no time); `approved`; `unknown` (null): nothing recorded on a GPU host or
             partition, no AllocTRES in the extract, or shards without a node record that says what each is of a GPU.
    Source:  design.md 5.2.
    """
    columns = started.columns
    hosts = _hosts_of_runs(started, raw_nodes)
    started = started.with_columns(_granted=gpu_part(pl.col("AllocTRES")), _asked=gpu_part(pl.col("ReqTRES")))
    granted, asked = tres_counts(started["_granted"]), tres_counts(started["_asked"])
    frame = (
        started.join(hosts, left_on="NodeList", right_on="hosts", how="left", validate="m:1", nulls_equal=True)
        .join(granted, left_on="_granted", right_on="tres", how="left", validate="m:1")
        .join(
            asked.select("tres", asked="devices", asks="names_gpus"),
            left_on="_asked",
            right_on="tres",
            how="left",
            validate="m:1",
        )
        .join(_approved(started, cluster, approvals), on="run", how="left", validate="m:1")
    )
    approved = pl.when(pl.col("approved_node_count")).then("gpus_of_hosts").otherwise("approved_gpus")
    counted = frame.with_columns(_is_known=_is_known(), _approved=approved).with_columns(gpu_count_basis=_basis())
    return counted.with_columns(gpu_count=_count(), declared_gpus=pl.when("asks").then("asked")).select(
        *columns, "gpu_count", "gpu_count_basis", "declared_gpus"
    )


def _basis() -> pl.Expr:
    held_no_time = pl.col("started_until") <= pl.col("Start")
    return (
        pl.when(pl.col("Start").is_null())
        .then(pl.lit("never started"))
        .when(pl.col("_is_known") & (pl.col("devices") > 0))
        .then(pl.lit("recorded"))
        .when(pl.col("_is_known") | held_no_time)
        .then(pl.lit("no GPUs"))
        .when(pl.col("_approved").is_not_null())
        .then(pl.lit("approved"))
        .otherwise(pl.lit("unknown"))
    )


def _count() -> pl.Expr:
    basis = pl.col("gpu_count_basis")
    return (
        pl.when(basis == "recorded")
        .then("devices")
        .when(basis == "no GPUs")
        .then(pl.lit(0, pl.Int64))
        .when(basis == "approved")
        .then("_approved")
    )


def tres_counts(texts: pl.Series) -> pl.DataFrame:
    """One row per distinct readable TRES text: devices, shards, and whether it names GPUs at all."""
    granted, _ = parse_each(texts.unique().to_list())
    rows = [
        (text, tres.device_count, sum(g.count for g in tres.gres if g.kind == "shard"), tres.names_gpus)
        for text, tres in granted.items()
    ]
    return pl.DataFrame(rows, schema=TRES_COUNTS, orient="row")


def _is_known() -> pl.Expr:
    """The record itself says the count, or it is plain that the run had none."""
    says = pl.col("names_gpus").fill_null(False)
    shards_known = (pl.col("shards") == 0) | pl.col("shards_known")
    had_no_gpu_host = (
        pl.when("all_hosts_known")
        .then(~pl.col("any_gpu_host"))
        .otherwise(~pl.col("any_gpu_host") & ~pl.col("partition_has_gpus"))
    )
    return pl.when(says).then(shards_known).otherwise(pl.col("AllocTRES").is_not_null() & had_no_gpu_host)


def _hosts_of_runs(runs: pl.DataFrame, raw_nodes: pl.DataFrame) -> pl.DataFrame:
    """One row per distinct host list: what the node records of its hosts say."""
    lists = runs["NodeList"].unique().to_list()
    expanded = [(text, host) for text in lists for host in (expand_hosts(text or "") or ("",))]
    frame = pl.DataFrame(expanded, schema={"hosts": pl.String, "host": pl.String}, orient="row")
    return (
        frame.join(gpus_of_hosts(raw_nodes), on="host", how="left", validate="m:1")
        .group_by("hosts")
        .agg(
            all_hosts_known=pl.col("gpus").is_not_null().all(),
            any_gpu_host=(pl.col("gpus").fill_null(0) > 0).any(),
            gpus_of_hosts=pl.when(pl.col("gpus").is_not_null().all()).then(pl.col("gpus").sum()),
            shards_known=(pl.col("gpus_per_shard").is_not_null().all() & (pl.col("gpus_per_shard").n_unique() == 1)),
        )
    )


def _approved(runs: pl.DataFrame, cluster: str, approvals: Sequence[GpuCountApproval]) -> pl.DataFrame:
    """One row per run that an approval names; of several that name it the last counts."""
    rows = [(a.run, a.gpus, a.gpus is None) for a in approvals if a.cluster == cluster]
    schema = {"name": pl.String, "approved_gpus": pl.Int64, "approved_node_count": pl.Boolean}
    given = pl.DataFrame(rows, schema=schema, orient="row").with_row_index("order")
    names = pl.concat([runs.select("run", name=pl.col(column)) for column in ("JobIDRaw", "JobID", "run")])
    return (
        names.join(given, on="name", how="inner")
        .sort("run", "order")
        .unique("run", keep="last", maintain_order=True)
        .drop("name", "order")
    )
