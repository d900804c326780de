"""Contract of raw_reservations: reservations from the accounting database."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract

RAW_RESERVATIONS = Contract(
    table="raw_reservations",
    grain="one row per reservation that overlaps the day",
    key=("cluster", "day", "Name", "TimeStart"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("Name", pl.String(), "name of the reservation"),
        Column("TimeStart", INSTANT, "its start", "instant"),
        Column("TimeEnd", INSTANT, "its end", "instant"),
        source_text("NodeNames", "folded host list, where the extract has it"),
        source_text("TRES", "what is reserved"),
        source_text("Accounts", "accounts or associations that may use it"),
        source_text("Flags", "flags; MAINT marks planned maintenance"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_reservations_readable",),
    schedulers=("slurm",),
)
