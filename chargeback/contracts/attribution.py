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

STATES_OF_HELD_TIME = ("idle_milliseconds", "starved_milliseconds", "busy_milliseconds", "unmeasured_milliseconds")
"""They add up to held_seconds x 1,000: each held millisecond of each device is in one state."""


def _device_milliseconds(name: str, meaning: str) -> Column:
    return Column(name, pl.Int64(), meaning, "device-ms", minimum=0)


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
        Column("gpu", pl.String(), "UUID of the GPU, UUID/instance id of a slice; empty where the hold is unbound"),
        Column("share_units", pl.Int64(), "physical part of a GPU that one device is, numerator", "units", minimum=1),
        UNITS_PER_GPU,
        Column(
            "held_seconds", pl.Int64(), "held in this hour, over all devices of the row", "device-seconds", minimum=0
        ),
        Column(
            "after_end_seconds",
            pl.Int64(),
            "of these, after the workload that it belongs to had ended",
            "device-seconds",
            minimum=0,
        ),
        _device_milliseconds("idle_milliseconds", "held, nothing runs"),
        _device_milliseconds("starved_milliseconds", "held, runs but the accelerator waits"),
        _device_milliseconds("busy_milliseconds", "held, computing"),
        _device_milliseconds("unmeasured_milliseconds", "held, no telemetry; never idle"),
        _device_milliseconds("observed_milliseconds", "covered by samples"),
        _device_milliseconds("active_milliseconds", "activity above the threshold"),
        Column("consumed_ppm_milliseconds", pl.Int64(), "activity x time, summed", "ppm x device-ms", minimum=0),
        Column(
            "energy_microjoules",
            pl.Int64(),
            "power x time; null where none was sampled",
            "µJ",
            nullable=True,
            minimum=0,
        ),
        Column(
            "fb_used_mebibyte_milliseconds",
            pl.Int64(),
            "frame buffer x time, for its mean; null where none was sampled",
            "MiB x device-ms",
            nullable=True,
            minimum=0,
        ),
        Column("fb_observed_milliseconds", pl.Int64(), "time that this covers", "device-ms", nullable=True, minimum=0),
        Column("fb_max_mebibytes", pl.Int64(), "most frame buffer in use at once", "MiB", nullable=True, minimum=0),
        Column("is_estimate", pl.Boolean(), "the GPU is shared: its activity is split by share, equally over replicas"),
    ),
    checks=("attribution_conserves_holds", "attribution_states_add_up", "gpu_hours_conserved"),
)
