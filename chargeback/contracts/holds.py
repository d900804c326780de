"""Contract of holds: a run has GPUs on a host for a stretch of time, busy or not. The unit of charging."""

import polars as pl

from chargeback.contracts.common_columns import (
    ACCELERATOR,
    CLUSTER,
    DAY,
    HOST,
    RUN,
    SHARING,
    UNITS_PER_GPU,
)
from chargeback.contracts.contract import INSTANT, Column, Contract

HOLDS = Contract(
    table="holds",
    grain="one row per run, host, accelerator and kind of sharing, cut to the day",
    key=("cluster", "day", "run", "host", "accelerator", "sharing", "held_from"),
    partitioned_by=("cluster", "day"),
    stage="usage",
    columns=(
        CLUSTER,
        DAY,
        RUN,
        HOST,
        ACCELERATOR,
        SHARING,
        Column("held_from", INSTANT, "start of the hold, or the day's", "instant"),
        Column("held_until", INSTANT, "end of the hold, or the day's; exclusive", "instant"),
        Column(
            "device_count", pl.Int64(), "GPUs, slices, shards or MPS per cent held on that host", "devices", minimum=1
        ),
        Column(
            "share_units",
            pl.Int64(),
            "physical part of a GPU that one of them is, numerator: 3 of 7",
            "units",
            minimum=1,
        ),
        UNITS_PER_GPU,
        Column("slice_profile", pl.String(), "MIG profile, 3g.40gb; empty if none"),
        Column(
            "split",
            pl.String(),
            "how the count came to this host: one host; recorded; assumed even; not split",
            values=("one host", "recorded", "assumed", "not split"),
        ),
        Column("is_running", pl.Boolean(), "the hold goes on: charged to its last observation and settled later"),
    ),
    checks=("holds_inside_day", "holds_mapped"),
)
