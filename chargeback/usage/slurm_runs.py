"""runs of a Slurm cluster and day: every attempt of a workload, with all that the scheduler will forget.

Not here: which hosts and GPUs it had (slurm_holds.py), where its GPU count comes from (gpu_counts.py).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.runs import RUNS
from chargeback.usage.gpu_approvals import GpuCountApproval
from chargeback.usage.gpu_counts import with_gpu_counts
from chargeback.usage.hostlist import expand_hosts
from chargeback.usage.states import FINAL, RUNNING, end_cause_of, phase_of

STANDARD_TIER = "standard"

_INTERACTIVE = r"^\S*\b(?:salloc|srun)\b"
_EXCLUSIVE = ("exclusive", "yes", "true", "1", "node")


def runs_of_day(
    raw_sacct: pl.DataFrame,
    raw_nodes: pl.DataFrame,
    raw_bindings: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    tiers: Mapping[str, str],
    approvals: Sequence[GpuCountApproval],
    classes: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Say of every record of the day what it was.

    Input:   contracts.raw_sacct, raw_nodes and raw_bindings of that cluster and day. `tiers` maps a QOS to a tier, any
             other QOS is standard. `classes` maps a partition to a workload class. `interval` is the day.
    Output:  contracts.runs, sorted by run; one row per row of raw_sacct. The class is the partition's, else interactive
             if salloc or srun started it, else batch. `workload` is Job/<name>: runs, array tasks and resubmissions of
             one name are one piece of work; a job without a name is its id. A requeued run is its own row.
             `is_running`: it was last seen running within this day, so what it held on this day can still grow.
    Source:  design.md 2 "tier", "workload class"; 4 "Run key"; 5.2.
    """
    keyed = raw_sacct.with_columns(run=run_key(pl.col("JobIDRaw"), pl.coalesce("Start", "Submit", "End")))
    counted = with_gpu_counts(keyed, raw_nodes, cluster=cluster, approvals=approvals)
    shared = raw_bindings.select("JobIDRaw", "Start", bound_alone=pl.col("OverSubscribe").str.to_uppercase() == "NO")
    alone = shared.drop_nulls("bound_alone").group_by("JobIDRaw", "Start").agg(pl.col("bound_alone").all())
    phase = phase_of(pl.col("State"), end_is_known=pl.col("End").is_not_null())
    return (
        counted.join(alone, on=["JobIDRaw", "Start"], how="left", validate="m:1")
        .join(_host_counts(counted), on="NodeList", how="left", validate="m:1")
        .with_columns(
            *_renamed(),
            *_times(),
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            scheduler=pl.lit("slurm"),
            tier=pl.col("QOS").replace_strict(dict(tiers), default=STANDARD_TIER, return_dtype=pl.String),
            workload_class=_workload_class(classes or {}),
            workload=pl.lit("Job/") + pl.coalesce(pl.col("JobName").replace("", None), "JobID", "JobIDRaw"),
            end_cause=pl.when(phase == FINAL).then(end_cause_of(pl.col("State"))),
            pending_reason=pl.when(~pl.col("Reason").is_in(["", "None"])).then("Reason"),
            is_running=((phase == RUNNING) & (pl.col("started_until") < interval.end)).fill_null(False),
            host_count=pl.coalesce("NNodes", "host_count", pl.lit(0, pl.Int64)),
            is_exclusive=pl.col("Exclusive").str.to_lowercase().is_in(_EXCLUSIVE).fill_null(False)
            | pl.col("bound_alone").fill_null(False),
            group=pl.col("JobID").str.extract(r"^(\d+)\+\d+$", 1),
            group_minimum=pl.lit(None, pl.Int64),
            labels=pl.lit(None, pl.String),
        )
        .select(RUNS.column_names)
        .sort("run")
    )


def run_key(job_id_raw: pl.Expr, began: pl.Expr) -> pl.Expr:
    """JobIDRaw@Start, never started: JobIDRaw@Submit; in UTC."""
    return job_id_raw + "@" + began.dt.strftime("%Y-%m-%dT%H:%M:%SZ")


def _workload_class(classes: Mapping[str, str]) -> pl.Expr:
    by_partition = pl.col("Partition").replace_strict(dict(classes), default=None, return_dtype=pl.String)
    is_interactive = pl.col("SubmitLine").str.contains(_INTERACTIVE)
    by_shape = pl.when(is_interactive).then(pl.lit("interactive")).otherwise(pl.lit("batch"))
    return pl.coalesce(by_partition, by_shape)


def _renamed() -> list[pl.Expr]:
    names = {
        "job_id": pl.coalesce("JobID", "JobIDRaw"),
        "job_id_raw": pl.col("JobIDRaw"),
        "sluid": pl.col("SLUID"),
        "dbindex": pl.col("DBIndex"),
        "job_name": pl.col("JobName"),
        "user": pl.col("User"),
        "account": pl.col("Account"),
        "queue": pl.col("Partition"),
        "qos": pl.col("QOS"),
        "wckey": pl.col("WCKey"),
        "reservation": pl.col("Reservation"),
        "state": pl.col("State"),
        "hosts": pl.col("NodeList"),
        "alloc_tres": pl.col("AllocTRES"),
        "elapsed_seconds": pl.col("ElapsedRaw"),
        "suspended_seconds": pl.col("Suspended"),
        "limit_seconds": pl.col("TimelimitRaw"),
    }
    return [value.alias(name) for name, value in names.items()]


def _times() -> list[pl.Expr]:
    never = ("image_pulled", "ready", "first_activity", "workload_ended")
    return [
        pl.col("Submit").alias("submitted"),
        pl.col("Eligible").alias("eligible"),
        pl.col("Start").alias("bound"),
        pl.col("Start").alias("started"),
        pl.col("End").alias("ended"),
        pl.col("started_until").alias("observed_until"),
        *(pl.lit(None, INSTANT).alias(name) for name in never),
    ]


def _host_counts(runs: pl.DataFrame) -> pl.DataFrame:
    lists = runs["NodeList"].drop_nulls().unique().to_list()
    rows = [(text, len(expand_hosts(text))) for text in lists]
    return pl.DataFrame(rows, schema={"NodeList": pl.String, "host_count": pl.Int64}, orient="row")
