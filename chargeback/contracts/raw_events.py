"""Contract of raw_events: node events (drain, down, maintenance) from the accounting database."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract

RAW_EVENTS = Contract(
    table="raw_events",
    grain="one row per node event that overlaps the day",
    key=("cluster", "day", "NodeName", "TimeStart", "State"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("NodeName", pl.String(), "host name"),
        Column("TimeStart", INSTANT, "start of the event", "instant"),
        Column("TimeEnd", INSTANT, "its end; null while it lasts", "instant", nullable=True),
        Column("State", pl.String(), "node state, upper case, with its suffix characters removed"),
        source_text("Reason", "reason given"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_events_readable",),
    schedulers=("slurm",),
)
