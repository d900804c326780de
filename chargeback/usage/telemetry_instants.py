"""One row per device and instant: what all series of the device say together, metric by metric.

The pass over all samples of a day, so it works on one 64-bit key of device, instant and metric. Not here: which metric
counts (telemetry_samples.py), and what labels mean (telemetry_labels.py).
"""

import polars as pl

from chargeback.usage.dcgm_names import UNIT_OF
from chargeback.usage.dcgm_values import IMPOSSIBLE, SENTINEL
from chargeback.usage.telemetry_said import Said

METRICS = tuple(UNIT_OF)
FAULTS = ("sentinels", "impossible", "duplicates", "conflicts")
SIGNATURE = ("labels_low", "labels_high", "labels_sum")
"""The same at two instants of a device if the same sets of labels stand at both."""

_METRIC_SPACE = 8
_INSTANT_SPACE = 1 << 30
"""Milliseconds set apart for each device: twelve days, of which a day and the staleness before it are used."""


def instants_of(said: Said, labels_of: pl.Series, *, since: int) -> pl.DataFrame:
    """What is said at every instant.

    Input:   `labels_of`: for each source the number of its set of labels; `since`: the earliest instant.
    Output:  device, at, a column for each of METRICS (null where it has no value, or series differ), FAULTS and
             SIGNATURE; sorted by device and at. Duplicates are equal values beyond the first, a conflict is a metric
             whose values differ. A source that says the same of an instant twice, in two objects, says it once.
    """
    in_order = _keyed(said, labels_of, since).sort("key")
    again = pl.col("key") == pl.col("key").shift(1)
    marked = in_order.with_columns(_several=(again | again.shift(-1)).fill_null(False))
    together = pl.concat([_alone(marked.filter(~pl.col("_several"))), _several(marked.filter("_several"))]).sort("key")
    place = pl.col("key") // _METRIC_SPACE
    metric = pl.col("key") % _METRIC_SPACE
    low, high = pl.col("labels").min(), pl.col("labels").max()
    return (
        together.with_columns(place=place, metric=metric)
        .with_columns(
            pl.when(pl.col("metric") == number).then("value").alias(name) for number, name in enumerate(METRICS)
        )
        .group_by("place", maintain_order=True)
        .agg(
            pl.col(METRICS).max(),
            pl.col(FAULTS).sum(),
            labels_low=low,
            labels_high=high,
            labels_sum=pl.when(low == high).then(0).otherwise(pl.col("labels").sum()),
        )
        .with_columns(device=pl.col("place") // _INSTANT_SPACE, at=pl.col("place") % _INSTANT_SPACE + since)
        .drop("place")
    )


def _keyed(said: Said, labels_of: pl.Series, since: int) -> pl.DataFrame:
    """key of device, instant and metric; source, value, and `labels`, a number that stands for the set of labels."""
    numbers = pl.DataFrame({"metric": METRICS, "number": range(len(METRICS))}, schema_overrides={"number": pl.Int64})
    series = said.series.select("source", "device", "metric", labels=labels_of.hash(seed=0) // 2**20).join(
        numbers, on="metric", how="left", validate="m:1", maintain_order="left"
    )
    source = said.samples["source"]
    device, metric, labels = (series[name].gather(source) for name in ("device", "number", "labels"))
    at = said.samples["at"] - since
    return pl.DataFrame(
        {
            "key": (device * _INSTANT_SPACE + at) * _METRIC_SPACE + metric,
            "source": source,
            "value": said.samples["value"],
            "labels": labels.cast(pl.Int64),
        }
    )


def _alone(rows: pl.DataFrame) -> pl.DataFrame:
    """Where one source speaks once."""
    value = pl.col("value")
    return rows.select(
        "key",
        pl.when(value >= 0).then(value).alias("value"),
        (value == SENTINEL).cast(pl.Int64).alias("sentinels"),
        (value == IMPOSSIBLE).cast(pl.Int64).alias("impossible"),
        pl.lit(0, pl.Int64).alias("duplicates"),
        pl.lit(0, pl.Int64).alias("conflicts"),
        "labels",
    )


def _several(rows: pl.DataFrame) -> pl.DataFrame:
    """Where sources speak together, or one in several objects."""
    value = pl.col("value")
    is_value = value >= 0
    grouped = (
        rows.unique(["key", "source", "value"])
        .group_by("key")
        .agg(
            low=value.filter(is_value).min(),
            high=value.filter(is_value).max(),
            values=is_value.sum().cast(pl.Int64),
            sentinels=(value == SENTINEL).sum().cast(pl.Int64),
            impossible=(value == IMPOSSIBLE).sum().cast(pl.Int64),
            labels=pl.col("labels").unique().sum(),
        )
    )
    differs = (pl.col("low") != pl.col("high")).fill_null(False)
    return grouped.select(
        "key",
        pl.when(~differs).then("low").alias("value"),
        "sentinels",
        "impossible",
        duplicates=pl.when(differs | (pl.col("values") == 0)).then(0).otherwise(pl.col("values") - 1),
        conflicts=differs.cast(pl.Int64),
        labels="labels",
    )
