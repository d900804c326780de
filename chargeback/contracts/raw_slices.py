"""Contract of raw_slices: devices that DRA drivers publish (ResourceSlices): which name in a pool is which UUID."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import Column, Contract

RAW_SLICES = Contract(
    table="raw_slices",
    grain="one row per device of the ResourceSlices in force on the day",
    key=("cluster", "day", "driver", "pool", "device"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("driver", pl.String(), "DRA driver"),
        Column("pool", pl.String(), "pool"),
        Column("device", pl.String(), "name in the pool"),
        source_text("nodeName", "host"),
        source_text("type", "gpu or mig"),
        source_text("uuid", "UUID of the GPU or slice"),
        source_text("parentUUID", "UUID of the GPU that a slice is cut from"),
        source_text("productName", "product"),
        source_text("profile", "MIG profile"),
        source_text("memory", "memory capacity as a Kubernetes quantity"),
        Column("generation", pl.Int64(), "generation of the pool", nullable=True),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_slices_named",),
    schedulers=("kubernetes",),
)
