"""Contract of quarantine: records that could not be read, each with its place and its reason. Never lost."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, LINE, OBJECT
from chargeback.contracts.contract import Column, Contract

QUARANTINE = Contract(
    table="quarantine",
    grain="one row per record that could not be read, on the day it speaks of (else the object's last day)",
    key=("cluster", "day", "object", "line"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("source", pl.String(), "source it was extracted from"),
        OBJECT,
        LINE,
        Column("reason", pl.String(), "what is wrong, how far off, what to do"),
        Column("excerpt", pl.String(), "the first 200 characters of the record"),
    ),
    checks=("quarantine_share",),
)
