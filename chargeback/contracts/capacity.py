"""Contract of capacity: every second of every GPU of the inventory in exactly one state (design.md 5.4)."""

import polars as pl

from chargeback.contracts.common_columns import ACCELERATOR, CLUSTER, DAY, HOST, HOUR_START, UNITS_PER_GPU
from chargeback.contracts.contract import Column, Contract

STATES = (
    "held",
    "out_of_service_planned",
    "out_of_service_unplanned",
    "reserved_unused",
    "blocked",
    "unknown",
    "unallocated",
)
"""Column stems, in order of precedence; they add up to capacity."""


def _unit_seconds(stem: str, meaning: str) -> Column:
    return Column(f"{stem}_unit_seconds", pl.Int64(), meaning, "GPU-seconds x units_per_gpu", minimum=0)


CAPACITY = Contract(
    table="capacity",
    grain="one row per host (or host set of a count that could not be split), accelerator and hour",
    key=("cluster", "day", "hour_start", "host", "accelerator"),
    partitioned_by=("cluster", "day"),
    stage="usage",
    columns=(
        CLUSTER,
        DAY,
        HOUR_START,
        HOST,
        ACCELERATOR,
        UNITS_PER_GPU,
        Column(
            "inventory",
            pl.String(),
            "where capacity comes from; without a node record it is taken to be what was held",
            values=("node record", "none"),
        ),
        _unit_seconds("capacity", "GPUs of the inventory x length of the hour"),
        _unit_seconds("held", "held by runs"),
        _unit_seconds("out_of_service_planned", "maintenance that was planned"),
        _unit_seconds("out_of_service_unplanned", "down, or drained and empty"),
        _unit_seconds("reserved_unused", "reserved, in service, held by nobody"),
        Column(
            "reserved_unused_by",
            pl.String(),
            'whose it is, JSON of reservation -> unit-seconds: {"vision-q4":3600}; "" where several have it at once; '
            "null if nothing",
            nullable=True,
        ),
        _unit_seconds("blocked", "nobody could be given it: node held exclusively, remainder of a MIG geometry"),
        _unit_seconds("unknown", "a run without a recorded count was there"),
        _unit_seconds("unallocated", "nobody held it and somebody could have been given it"),
        _unit_seconds("overcommitted", "held beyond capacity, which some kinds of sharing permit; no state"),
        _unit_seconds("double_booked", "of these, what no kind of sharing permits: a finding"),
    ),
    checks=("capacity_conserved", "capacity_not_overcommitted", "capacity_inventoried"),
)
