"""Contract of raw_bindings: per-host GPU grants of Slurm jobs: `scontrol show job -d` while they run, prolog maps."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract

RAW_BINDINGS = Contract(
    table="raw_bindings",
    grain="one row per job run, host and resource that `scontrol show job -d` or a prolog map showed, on each day that "
    "the run touched",
    key=("cluster", "day", "JobIDRaw", "Start", "host", "gres"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("JobIDRaw", pl.String(), "Slurm's raw job id"),
        Column("Start", INSTANT, "start of the run", "instant"),
        Column("host", pl.String(), "host name"),
        Column("gres", pl.String(), "granted resource: gpu, gpu:a100, shard:gb10, mps"),
        Column("count", pl.Int64(), "devices, slices or shares granted on that host", "devices", minimum=1),
        source_text("device_indices", "indices on that host as printed: 0-3,6; minors, not UUIDs"),
        source_text("device_uuids", "UUIDs of GPUs and slices, comma-separated, where a prolog wrote them down"),
        source_text("OverSubscribe", "NO marks a node that the job holds exclusively"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_bindings_readable",),
    schedulers=("slurm",),
)
