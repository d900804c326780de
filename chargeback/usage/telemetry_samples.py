"""From metrics to samples: which metric is a device's activity, one row an instant, and what is carried into the day.

Source: design.md 5.5; cases D07, D09. Not here: what devices are called and what stood on them.
"""

from collections.abc import Sequence

import polars as pl

from chargeback.usage.dcgm_names import (
    FB_USED,
    GPU_UTIL,
    GR_ENGINE_ACTIVE,
    POWER_USAGE,
    SM_ACTIVE,
    TOTAL_ENERGY_CONSUMPTION,
)
from chargeback.usage.dcgm_values import WATTS

ACTIVITY = (SM_ACTIVE, GR_ENGINE_ACTIVE, GPU_UTIL)
RUNNING = (GR_ENGINE_ACTIVE, GPU_UTIL)
"""Best first. GPU_UTIL says nothing of a slice: it is 0 or absent there, whatever the slice does."""

READINGS = ("active_ppm", "running_ppm", "power_milliwatts", "fb_used_mebibytes")

_MILLISECONDS = 1_000


def metrics_of_devices(instants: pl.DataFrame, slices: pl.Series, *, start: int) -> pl.DataFrame:
    """Which metric stands for activity, and which for whether anything runs, one each for the whole day.

    Input:   instants_of; `slices`: the devices that are slices; `start` of the day in milliseconds.
    Output:  device, activity_metric, running_metric: the best that has a value on the day, else one that has a value to
             be carried in; null where there is none. Sorted by device.
    """
    is_of_day = pl.col("at") >= start
    metrics = tuple(dict.fromkeys((*ACTIVITY, *RUNNING)))
    known = instants.group_by("device", maintain_order=True).agg(
        *(pl.col(name).is_not_null().any().alias(name) for name in metrics),
        *((pl.col(name).is_not_null() & is_of_day).any().alias(_on_day(name)) for name in metrics),
    )
    is_slice = pl.col("device").is_in(slices.implode())
    return known.select(
        "device", activity_metric=_best_of(ACTIVITY, is_slice), running_metric=_best_of(RUNNING, is_slice)
    )


def samples_of(instants: pl.DataFrame, metrics: pl.DataFrame, slices: pl.Series, *, staleness: int) -> pl.DataFrame:
    """One row per device and instant with a value: READINGS, in the order of `instants`.

    Power is that of a whole GPU, so slices have none; where it is not exported it follows from the energy counter.
    """
    has_power = pl.col(POWER_USAGE).is_not_null().any().over("device")
    power = pl.when(has_power).then(POWER_USAGE).otherwise(_power_by_energy(staleness))
    is_slice = pl.col("device").is_in(slices.implode())
    return (
        instants.join(metrics, on="device", how="left", validate="m:1", maintain_order="left")
        .select(
            "device",
            "at",
            active_ppm=_value_of("activity_metric", ACTIVITY),
            running_ppm=_value_of("running_metric", RUNNING),
            power_milliwatts=pl.when(~is_slice).then(power),
            fb_used_mebibytes=FB_USED,
        )
        .cast(dict.fromkeys(READINGS, pl.Int32))
        .filter(pl.any_horizontal(pl.col(READINGS).is_not_null()))
    )


def without_what_is_over(samples: pl.DataFrame, *, start: int) -> pl.DataFrame:
    """The samples from `start` on, and of those before it the last one of each reading of each device."""
    before = samples.filter(pl.col("at") < start)
    lasting = [
        pl.col("at") == pl.col("at").filter(pl.col(name).is_not_null()).max().over("device") for name in READINGS
    ]
    carried = before.filter(pl.any_horizontal(lasting))
    return pl.concat([carried, samples.filter(pl.col("at") >= start)])


def _on_day(metric: str) -> str:
    return f"{metric} on the day"


def _best_of(preference: Sequence[str], is_slice: pl.Expr) -> pl.Expr:
    """The first metric with a value on the day, else the first with any; null if there is none."""
    wanted = [pl.col(_on_day(name)) for name in preference] + [pl.col(name) for name in preference]
    usable = [is_there if name != GPU_UTIL else is_there & ~is_slice
              for name, is_there in zip((*preference, *preference), wanted, strict=True)]  # fmt: skip
    named = [pl.when(it).then(pl.lit(name)) for name, it in zip((*preference, *preference), usable, strict=True)]
    return pl.coalesce(named)


def _value_of(chosen: str, among: Sequence[str]) -> pl.Expr:
    return pl.coalesce(pl.when(pl.col(chosen) == name).then(name) for name in among)


def _power_by_energy(staleness: int) -> pl.Expr:
    """Mean power from one reading of the counter to the next; of instants in order. A counter that fell was reset."""
    following = pl.col(TOTAL_ENERGY_CONSUMPTION).backward_fill().shift(-1).over("device")
    at_following = pl.when(pl.col(TOTAL_ENERGY_CONSUMPTION).is_not_null()).then("at").backward_fill().shift(-1)
    used = following - pl.col(TOTAL_ENERGY_CONSUMPTION)
    lasted = at_following.over("device") - pl.col("at")
    derived = (used * _MILLISECONDS / lasted).round(mode="half_to_even")
    is_power = (used >= 0) & (lasted <= staleness) & (derived <= WATTS.limit)
    return pl.when(is_power).then(derived).cast(pl.Int64)
