"""Contract of raw_samples: what devices did, as fixed-point integers in order of device and time.

The layout is what a compiled pass wants: 32-bit signed, one row an instant, no strings.
"""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY
from chargeback.contracts.contract import Column, Contract


def _reading(name: str, meaning: str, unit: str) -> Column:
    return Column(name, pl.Int32(), f"{meaning}; null if not sampled", unit, nullable=True, minimum=0)


RAW_SAMPLES = Contract(
    table="raw_samples",
    grain="one row per device and instant that has a valid value",
    key=("cluster", "day", "device", "at_milliseconds"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("device", pl.Int32(), "number of the device in raw_devices of this day", minimum=0),
        Column(
            "at_milliseconds",
            pl.Int32(),
            "instant, from the start of the day; negative: the last sample of the day before, carried in",
            "milliseconds",
        ),
        _reading("active_ppm", "how busy it is: SM_ACTIVE, else GR_ENGINE_ACTIVE, else GPU_UTIL", "ppm"),
        _reading("running_ppm", "whether anything runs: GR_ENGINE_ACTIVE or GPU_UTIL", "ppm"),
        _reading("power_milliwatts", "power draw; from the energy counter where power is not exported", "mW"),
        _reading("fb_used_mebibytes", "frame buffer in use", "MiB"),
    ),
    checks=("samples_ordered",),
)
