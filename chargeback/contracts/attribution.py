"""Contract of attribution: what was held, hour by hour, and what it did; without telemetry it is unmeasured."""

import polars as pl

from chargeback.contracts.common_columns import (
    ACCELERATOR,
    CLUSTER,
    DAY,
    HOST,
    HOUR_START,
    RUN,
    SHARING,
    UNITS_PER_GPU,
)
from chargeback.contracts.contract import Column, Contract


def _device_seconds(name: str, meaning: str) -> Column:
    return Column(name, pl.Int64(), meaning, "device-seconds", minimum=0)


ATTRIBUTION = Contract(
    table="attribution",
    grain="one row per hold, GPU (or host and accelerator where the hold is unbound) and hour",
    key=("cluster", "day", "hour_start", "run", "host", "accelerator", "sharing", "gpu"),
    partitioned_by=("cluster", "day"),
    stage="attribution",
    columns=(
        CLUSTER,
        DAY,
        HOUR_START,
        RUN,
        HOST,
        ACCELERATOR,
        SHARING,
        Column("gpu", pl.String(), "UUID of the GPU or slice; empty where the hold is unbound"),
        Column("share_units", pl.Int64(), "physical part of a GPU that one device is, numerator", "units", minimum=1),
        UNITS_PER_GPU,
        _device_seconds("held_seconds", "held in this hour, over all devices of the row"),
        _device_seconds("idle_seconds", "held, nothing runs"),
        _device_seconds("starved_seconds", "held, runs but the accelerator waits"),
        _device_seconds("busy_seconds", "held, computing"),
        _device_seconds("unmeasured_seconds", "held, no telemetry; never idle"),
        Column(
            "observed_seconds",
            pl.Int64(),
            "covered by samples; null without telemetry",
            "device-seconds",
            nullable=True,
            minimum=0,
        ),
        Column(
            "active_seconds",
            pl.Int64(),
            "activity above the threshold; null without telemetry",
            "device-seconds",
            nullable=True,
            minimum=0,
        ),
        Column(
            "consumed_ppm_seconds",
            pl.Int64(),
            "activity x seconds, summed; null without telemetry",
            "ppm x device-seconds",
            nullable=True,
            minimum=0,
        ),
        Column("energy_millijoules", pl.Int64(), "energy; null without telemetry", "mJ", nullable=True, minimum=0),
    ),
    checks=("attribution_conserves_holds", "attribution_states_add_up"),
)
