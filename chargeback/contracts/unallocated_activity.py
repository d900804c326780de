"""Contract of unallocated_activity: devices that worked while nobody held them: an exception, nobody's charge."""

import polars as pl

from chargeback.contracts.common_columns import ACCELERATOR, CLUSTER, DAY, HOST, HOUR_START, source_text
from chargeback.contracts.contract import Column, Contract

UNALLOCATED_ACTIVITY = Contract(
    table="unallocated_activity",
    grain="one row per GPU or slice and hour in which it was active and held by nobody",
    key=("cluster", "day", "hour_start", "host", "gpu"),
    partitioned_by=("cluster", "day"),
    stage="attribution",
    columns=(
        CLUSTER,
        DAY,
        HOUR_START,
        HOST,
        Column("gpu", pl.String(), "UUID of the GPU; UUID/instance id of a MIG slice"),
        ACCELERATOR,
        Column("active_milliseconds", pl.Int64(), "activity above the threshold, held by nobody", "ms", minimum=0),
        Column("consumed_ppm_milliseconds", pl.Int64(), "activity x time, held by nobody", "ppm x ms", minimum=0),
        source_text("labels", "workload labels that stood on it: namespace/pod or job"),
    ),
    checks=("nothing_ran_unheld",),
)
