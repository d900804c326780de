"""Checks of raw_samples."""

import polars as pl

from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from checks.gate import Check, Outcome, Reading

_MILLISECONDS = 1_000


def misplaced_samples(reading: Reading) -> Outcome:
    """Samples out of order, twice, outside of the day and of what can be carried into it, or of an unknown device."""
    assert reading.day is not None  # noqa: S101  (raw_samples is partitioned by day)
    samples = reading.table(RAW_SAMPLES).select("device", "at_milliseconds").collect()
    findings = misplaced(
        samples,
        known=reading.table(RAW_DEVICES).select("device").unique().collect()["device"],
        earliest=-_MILLISECONDS * reading.settings.staleness_seconds(reading.day.cluster),
        end=_MILLISECONDS * reading.day.interval.seconds,
    )
    return Outcome(
        findings, {"samples": len(samples), "carried_in": samples.filter(pl.col("at_milliseconds") < 0).height}
    )


def misplaced(samples: pl.DataFrame, *, known: pl.Series, earliest: int, end: int) -> pl.DataFrame:
    """The samples, in the order in which a pass over them meets them, that it could not use; as findings.

    The lake writes rows in order of their key, each once; a pass relies on it, so it is looked at where it is read.
    """
    device, at = pl.col("device"), pl.col("at_milliseconds")
    is_same_device = device == device.shift(1)
    observed = (
        pl.when(~device.is_in(known.implode()))
        .then(pl.lit("a device that raw_devices does not have"))
        .when((at < earliest) | (at >= end))
        .then(pl.lit(f"an instant outside of {earliest} to {end}"))
        .when(device < device.shift(1))
        .then(pl.lit("a device after a later one"))
        .when(is_same_device & (at <= at.shift(1)))
        .then(pl.format("an instant that does not follow the one before, {}", at.shift(1)))
    )
    found = samples.with_columns(observed=observed).filter(pl.col("observed").is_not_null())
    return found.select(
        key=pl.format("device {} at {} ms", "device", "at_milliseconds"),
        expected=pl.lit("samples of known devices in order of device and time, each instant once"),
        observed="observed",
    )


CHECKS = (
    Check("samples_ordered", RAW_SAMPLES, "Samples are of known devices, of this day, in order, each once.",
          misplaced_samples, stops="run"),
)  # fmt: skip
