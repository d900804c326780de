"""Contract of landed_objects: which landing objects speak of a day, and how much in them could be read."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, OBJECT
from chargeback.contracts.contract import Column, Contract

LANDED_OBJECTS = Contract(
    table="landed_objects",
    grain="one row per landing object and day that one of its records overlaps",
    key=("cluster", "day", "object"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        OBJECT,
        Column("source", pl.String(), "source it was extracted from: slurm/sacct, slurm/nodes, ..."),
        Column("sha256", pl.String(), "content hash of the object"),
        Column("bytes", pl.Int64(), "size of the object", "bytes", minimum=0),
        EXTRACTED_AT,
        Column("records", pl.Int64(), "records in the whole object", "records", minimum=0),
        Column("records_of_day", pl.Int64(), "records that overlap this day", "records", minimum=0),
        Column(
            "steps_ignored",
            pl.Int64(),
            "job step rows in the whole object: they repeat the allocation",
            "records",
            minimum=0,
        ),
        Column("quarantined", pl.Int64(), "records of the whole object that could not be read", "records", minimum=0),
    ),
    checks=("landed_objects_unchanged",),
)
