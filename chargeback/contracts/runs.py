"""Contract of runs: one attempt of a workload, with everything that vanishes from the schedulers."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, RUN, TIER, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract

END_CAUSES = (
    "completed",
    "failed",
    "cancelled",
    "timeout",
    "out of memory",
    "preempted",
    "evicted",
    "platform fault",
)

GPU_COUNT_BASES = ("recorded", "no GPUs", "unknown", "approved", "never started", "holds nothing itself")
"""`holds nothing itself`: reservation pods of fractional schedulers and DRA admin access, which hold for nobody."""


def _instant(name: str, meaning: str) -> Column:
    return Column(name, INSTANT, meaning, "instant", nullable=True)


RUNS = Contract(
    table="runs",
    grain="one row per run that overlaps the day",
    key=("cluster", "day", "run"),
    partitioned_by=("cluster", "day"),
    stage="usage",
    columns=(
        CLUSTER,
        DAY,
        RUN,
        Column("scheduler", pl.String(), "scheduler that ran it", values=("slurm", "kubernetes")),
        Column("job_id", pl.String(), "id that people see: 8_3, 19+1"),
        Column("job_id_raw", pl.String(), "id that the scheduler stores"),
        source_text("sluid", "globally unique id of newer Slurm versions"),
        source_text("dbindex", "row id in the accounting database"),
        source_text("job_name", "name given by the user"),
        source_text("user", "user"),
        source_text("account", "account or namespace"),
        source_text("queue", "Slurm partition, or Kueue, KAI, Run:ai or Volcano queue"),
        source_text("qos", "QOS or priority class at start"),
        source_text("wckey", "workload characterisation key"),
        source_text("reservation", "reservation used"),
        TIER,
        Column("workload_class", pl.String(), "shape of the work", values=("batch", "service", "interactive")),
        _instant("submitted", "submitted"),
        _instant("eligible", "eligible to run"),
        _instant("bound", "bound to a host"),
        _instant("image_pulled", "image pulled; never for Slurm"),
        _instant("started", "started; null if it never did"),
        _instant("ready", "ready; never for Slurm"),
        _instant("first_activity", "first device activity, a proxy"),
        _instant("ended", "ended; null while it runs or waits"),
        _instant("observed_until", "end, else the last instant at which it was seen running; null if never started"),
        Column("state", pl.String(), "state in the scheduler's words"),
        Column("end_cause", pl.String(), "why it ended; null while it runs or waits", nullable=True, values=END_CAUSES),
        source_text("pending_reason", "reason while pending"),
        Column("is_running", pl.Boolean(), "still running when last observed: held to its last observation, marked"),
        Column("elapsed_seconds", pl.Int64(), "run time without suspension", "seconds", nullable=True, minimum=0),
        Column("suspended_seconds", pl.Int64(), "time suspended, GPUs kept", "seconds", nullable=True, minimum=0),
        Column("limit_seconds", pl.Int64(), "declared time limit; null if none", "seconds", nullable=True, minimum=0),
        Column(
            "declared_gpus",
            pl.Int64(),
            "GPUs or slices asked for; null if not said",
            "devices",
            nullable=True,
            minimum=0,
        ),
        Column(
            "gpu_count",
            pl.Int64(),
            "GPUs, slices, shards or MPS percent granted; null if unknown",
            "devices",
            nullable=True,
            minimum=0,
        ),
        Column("gpu_count_basis", pl.String(), "where the count comes from", values=GPU_COUNT_BASES),
        source_text("hosts", "folded host list"),
        Column("host_count", pl.Int64(), "number of hosts", "hosts", minimum=0),
        Column("is_exclusive", pl.Boolean(), "the run held its hosts exclusively"),
        source_text("alloc_tres", "what was granted, in the scheduler's words"),
        source_text("workload", "what a person submitted, by the owner chain: Job/train, Deployment/serve"),
        _instant("workload_ended", "end of that workload, where it is known; its pods may stay and hold on"),
        source_text("labels", "labels of the pod, as JSON with sorted keys"),
        source_text("group", "gang that it belongs to"),
        Column("group_minimum", pl.Int64(), "runs that must start together", "runs", nullable=True, minimum=1),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("runs_valid", "gpu_counts_known"),
)
