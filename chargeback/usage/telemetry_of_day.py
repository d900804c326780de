"""A day of device telemetry: what every device did, and which labels stood on it.

Pure folds over what the day's objects say (telemetry_said.py): the result depends on the set of what is said, never on
the order or number of objects. Not here: who held a device (bindings), and what a sample is worth (attribution).
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.telemetry_instants import FAULTS, instants_of
from chargeback.usage.telemetry_labels import labels_of_sources, stretches_of
from chargeback.usage.telemetry_said import DEVICE, Said, said_between
from chargeback.usage.telemetry_samples import metrics_of_devices, samples_of, without_what_is_over

_MILLISECONDS = 1_000
_INSTANT = ["device", "at"]


def telemetry_of_day(
    observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval, staleness_seconds: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What was said of a day's devices, each thing once.

    Input:   frames of parse_dcgm, concatenated: of every object that speaks of the day or of the staleness before it.
    Output:  contracts.raw_devices and contracts.raw_samples, sorted by key. A value that is said twice at one instant
             counts once; one that is said differently counts for nothing. The last samples of the day before are
             carried in, as far as they can still hold.
    Source:  design.md 5.5; cases D01, D02, D05, D07, D09, D10, D15, D18.
    """
    start, end = (int(instant.timestamp() * _MILLISECONDS) for instant in (interval.start, interval.end))
    staleness = staleness_seconds * _MILLISECONDS
    said = said_between(observations, since=start - staleness, start=start, end=end)
    labels = labels_of_sources(said)
    instants = instants_of(said, labels["set"], since=start - staleness)
    slices = said.series.filter(pl.col("gpu_instance") != "")["device"].unique()
    metrics = metrics_of_devices(instants, slices, start=start)
    samples = without_what_is_over(samples_of(instants, metrics, slices, staleness=staleness), start=start)
    kept = _of_day(instants, samples, start)
    numbers = _numbers(said, kept["device"].unique())
    stretches = stretches_of(said, labels, kept, staleness=staleness)
    named = {"cluster": pl.lit(cluster), "day": pl.lit(day), "device": pl.col("number")}
    return (
        stretches.join(numbers, on="device", how="left", validate="m:1")
        .join(metrics.select("device", "activity_metric"), on="device", how="left", validate="m:1")
        .join(_parents(said, start), on="gpu", how="left", validate="m:1")
        .with_columns(seen_from=_whole_second("first"), seen_until=_whole_second("last"), parent_values=_on_first())
        .with_columns(**named)
        .select(RAW_DEVICES.column_names)
        .sort(RAW_DEVICES.key),
        samples.join(numbers.select("device", "number"), on="device", how="left", validate="m:1")
        .with_columns(**named, at_milliseconds=(pl.col("at") - start).cast(pl.Int32))
        .select(RAW_SAMPLES.column_names)
        .sort(RAW_SAMPLES.key),
    )


def _of_day(instants: pl.DataFrame, samples: pl.DataFrame, start: int) -> pl.DataFrame:
    """The instants of the day, and those carried in from before it, the faults of which the day before counted."""
    sampled = samples.select(*_INSTANT, samples=pl.lit(1, pl.Int64))
    is_of_day = pl.col("at") >= start
    return (
        instants.join(sampled, on=_INSTANT, how="left", validate="1:1", maintain_order="left")
        .filter(is_of_day | pl.col("samples").is_not_null())
        .with_columns(pl.when(is_of_day).then(pl.col(FAULTS)).otherwise(0), pl.col("samples").fill_null(0))
    )


def _numbers(said: Said, devices: pl.Series) -> pl.DataFrame:
    """device, its number on the day by order of host, gpu and gpu_instance, and what is said of it once.

    Of several spellings the one of the series that was heard last counts, whatever says nothing being passed over.
    """
    heard = said.series.filter(pl.col("device").is_in(devices.implode())).sort("heard_last", "series", "copy")
    spelled = heard.group_by("device").agg(
        pl.col(DEVICE).first(),
        pl.col("host").filter(pl.col("host") != "").last().fill_null(""),
        *(pl.col(name).drop_nulls().last() for name in ("gpu_index", "minor", "model")),
    )
    return spelled.sort("host", *DEVICE).with_row_index("number").cast({"number": pl.Int32})


def _parents(said: Said, start: int) -> pl.DataFrame:
    """gpu, parents: how many values of the whole GPU were left out on the day."""
    return said.parents.filter(pl.col("at") >= start).group_by("gpu").agg(parents=pl.len().cast(pl.Int64))


def _on_first() -> pl.Expr:
    is_first = pl.col("stretch") == pl.col("stretch").min().over("gpu")
    return pl.when(is_first).then(pl.col("parents").fill_null(0)).otherwise(0)


def _whole_second(name: str) -> pl.Expr:
    return (pl.col(name) * _MILLISECONDS).cast(INSTANT).dt.truncate("1s")
