"""Contract of raw_nodes: Slurm node records, the inventory that capacity is counted from."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import Column, Contract

RAW_NODES = Contract(
    table="raw_nodes",
    grain="one row per node of the inventory in force on the day (the latest listing until the day's end, else the "
    "first after it)",
    key=("cluster", "day", "NodeName"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("NodeName", pl.String(), "host name"),
        source_text("Gres", "configured generic resources, as Slurm prints them"),
        source_text("CfgTRES", "configured trackable resources"),
        Column("CPUTot", pl.Int64(), "CPUs", "CPUs", nullable=True, minimum=0),
        Column("RealMemory", pl.Int64(), "memory", "MiB", nullable=True, minimum=0),
        source_text("State", "state when it was listed; not used for capacity, events are"),
        source_text("Partitions", "partitions that the node is in"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_nodes_readable",),
    schedulers=("slurm",),
)
