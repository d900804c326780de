"""Contract of raw_device_maps: which minor number of a host is which GPU; without it an index names nothing."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, HOST, LINE, OBJECT
from chargeback.contracts.contract import Column, Contract

RAW_DEVICE_MAPS = Contract(
    table="raw_device_maps",
    grain="one row per host and minor number of the map in force on the day",
    key=("cluster", "day", "host", "minor"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        HOST,
        Column("minor", pl.Int64(), "number of /dev/nvidiaN, which Slurm's IDX counts by", minimum=0),
        Column("nvml_index", pl.Int64(), "index that NVML and exporters count by", nullable=True, minimum=0),
        Column("uuid", pl.String(), "UUID of the GPU"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_device_maps_unambiguous",),
    schedulers=("slurm",),
)
