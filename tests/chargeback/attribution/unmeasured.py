"""Attribution of holds where there is no telemetry, no binding and no known end of a workload."""

import polars as pl

from chargeback.attribution.hourly import attribute_hours
from chargeback.billing_period import Interval
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.runs import RUNS


def unmeasured_hours(holds: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """contracts.attribution of the holds alone."""
    return attribute_hours(
        holds, BINDINGS.empty(), RUNS.empty(), RAW_SAMPLES.empty(), cluster=cluster, day=day, interval=interval,
        active_above_ppm=200_000, staleness_seconds=90,
    )  # fmt: skip
