"""Attribution added up to days: what each run held on each host, what that did, and how many of its GPUs ever worked.

Everything stays an integer: milliseconds of devices times the share that one device is, over `units_per_gpu`. Not
here: whose it is and what it costs (rating.py).
"""

import polars as pl

from chargeback.contracts.attribution import STATES_OF_HELD_TIME
from chargeback.pricing.exact_quantities import reduced

USED_KEY = ("cluster", "day", "run", "host", "accelerator", "sharing")
"""What one row of usage is, before its owners."""

_SHARE = ("share_units", "units_per_gpu")
_SUMMED = {
    "gpu_seconds_numerator": "held_seconds",
    **{name.replace("_milliseconds", "_unit_milliseconds"): name for name in STATES_OF_HELD_TIME},
    "active_unit_milliseconds": "active_milliseconds",
    "consumed_unit_ppm_milliseconds": "consumed_ppm_milliseconds",
    "after_end_unit_seconds": "after_end_seconds",
}
"""Column of usage -> column of attribution that it is, times share_units."""


def used_by_day(attribution: pl.LazyFrame) -> pl.DataFrame:
    """One row per run, host, accelerator, sharing and day.

    Input:   contracts.attribution of any days, summed as a stream.
    Output:  `USED_KEY`; device_seconds; gpu_seconds as a reduced fraction; units_per_gpu and over it, in 128 bits, what
             the held time did; energy_microjoules, null where none was sampled; is_estimate if any of it is one.
    """
    devices = ("energy_microjoules", *_SUMMED.values())
    by_share = (
        attribution.group_by(*USED_KEY, *_SHARE)
        .agg(
            *(pl.col(name).sum() for name in devices),
            pl.col("is_estimate").any(),
            has_energy=pl.col("energy_microjoules").is_not_null().any(),
        )
        .collect(engine="streaming")
        .with_columns(energy_microjoules=_of_share("energy_microjoules"))
    )
    is_single = by_share.select(USED_KEY).is_unique()
    single = by_share.filter(is_single).select(
        *USED_KEY,
        "has_energy",
        "is_estimate",
        "energy_microjoules",
        device_seconds="held_seconds",
        units_per_gpu=pl.col("units_per_gpu").cast(pl.Int128),
        **{name: _wide(of) * _wide("share_units") for name, of in _SUMMED.items()},
    )
    added = pl.concat([single, _over_common_units(by_share.filter(~is_single)).select(single.columns)])
    return reduced(
        added.with_columns(
            gpu_seconds_denominator="units_per_gpu", energy_microjoules=pl.when("has_energy").then("energy_microjoules")
        ).drop("has_energy"),
        "gpu_seconds",
    )


def worked_devices(attribution: pl.LazyFrame) -> pl.DataFrame:
    """Per cluster and run: gpus_measured, the GPUs and slices that telemetry saw; gpus_never_active, of these.

    Input:   contracts.attribution of a whole month. Only bound rows count: of the others nobody knows the GPU.
    """
    seen = (
        attribution.filter(pl.col("gpu") != "")
        .group_by("cluster", "run", "gpu")
        .agg(pl.col("observed_milliseconds", "active_milliseconds").sum())
        .filter(pl.col("observed_milliseconds") > 0)
    )
    return (
        seen.group_by("cluster", "run")
        .agg(
            gpus_measured=pl.len().cast(pl.Int64),
            gpus_never_active=(pl.col("active_milliseconds") == 0).sum().cast(pl.Int64),
        )
        .collect(engine="streaming")
    )


def _over_common_units(by_share: pl.DataFrame) -> pl.DataFrame:
    """A host that was configured anew has two unit counts in one day: add over the product of both."""
    units = _wide("units_per_gpu")
    common = units.unique().product()
    return by_share.group_by(USED_KEY).agg(
        pl.col("has_energy", "is_estimate").any(),
        pl.col("energy_microjoules").sum(),
        device_seconds=pl.col("held_seconds").sum(),
        units_per_gpu=common,
        **{name: (_wide(of) * _wide("share_units") * (common // units)).sum() for name, of in _SUMMED.items()},
    )


def _of_share(name: str) -> pl.Expr:
    """A device's whole, as the part of it that the share is: shares of one device do not add up to more than it."""
    return (_wide(name) * _wide("share_units") // _wide("units_per_gpu")).cast(pl.Int64)


def _wide(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Int128)
