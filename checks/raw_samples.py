"""Checks of raw_samples."""

import polars as pl

from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from checks.gate import Check, Outcome, Reading


def misplaced_samples(reading: Reading) -> Outcome:
    """Samples out of order, twice, outside of the day and of what can be carried into it, or of an unknown device."""
    assert reading.day is not None  # noqa: S101  (raw_samples is partitioned by day)
    earliest = -1_000 * reading.settings.staleness_seconds(reading.day.cluster)
    end = 1_000 * reading.day.interval.seconds
    samples = reading.table(RAW_SAMPLES).select("device", "at_milliseconds").collect()
    known = reading.table(RAW_DEVICES).select("device").unique().collect()["device"]
    at = pl.col("at_milliseconds")
    is_misplaced = (
        pl.when(~pl.col("device").is_in(known.implode())).then(pl.lit("a device that raw_devices does not have"))
        .when((at < earliest) | (at >= end)).then(pl.lit(f"an instant outside of {earliest} to {end}"))
        .when(pl.col("device") < pl.col("device").shift(1)).then(pl.lit("a device after a later one"))
        .when((pl.col("device") == pl.col("device").shift(1)) & (at <= at.shift(1)))
        .then(pl.format("an instant that does not follow the one before, {}", at.shift(1)))
    )  # fmt: skip
    findings = samples.with_columns(observed=is_misplaced).filter(pl.col("observed").is_not_null()).select(
        key=pl.format("device {} at {} ms", "device", "at_milliseconds"),
        expected=pl.lit("samples of known devices in order of device and time, each instant once"),
        observed="observed",
    )  # fmt: skip
    return Outcome(findings, {"samples": len(samples), "carried_in": samples.filter(at < 0).height})


CHECKS = (
    Check("samples_ordered", RAW_SAMPLES, "Samples are of known devices, of this day, in order, each once.",
          misplaced_samples, stops="run"),
)  # fmt: skip
