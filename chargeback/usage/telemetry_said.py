"""What several objects say of devices around a day: its series, once each, and their samples.

Not here: reading objects (dcgm.py), and what the series of a device say together (telemetry_instants.py).
"""

from dataclasses import dataclass

import polars as pl

DEVICE = ("gpu", "gpu_instance")


@dataclass(frozen=True, slots=True)
class Said:
    """Series and their samples.

    `series`: one row per `source` (its number, from 0) with its labels, `device` (a number of gpu and gpu_instance) and
    `heard_last`. `samples`: source, at (ms since 1970), value; the same may stand there more than once. Whole GPUs of
    which slices are seen are not in them; `parents`: gpu, at of what was said of those, each thing once.
    """

    series: pl.DataFrame
    samples: pl.DataFrame
    parents: pl.DataFrame


def said_between(observations: pl.DataFrame, *, since: int, start: int, end: int) -> Said:
    """Everything said of instants from `since` to before `end`, of a day that begins at `start`; ms since 1970.

    Input:   frames of parse_dcgm, concatenated. A sample without an instant is of its row's overlaps_from.
    Output:  one source for a metric under one set of labels, however many objects have it; a series that one object
             says twice at one instant is another source (`copy`). Of a GPU that shows a slice on the day, only slices
             count (case D09).
    """
    copies = observations.select("series", "copy").unique().sort("series", "copy").with_row_index("number")
    numbered = observations.join(copies, on=["series", "copy"], how="left", validate="m:1")
    samples = (
        numbered.lazy()
        .select("number", "at", "value", extracted=pl.col("overlaps_from").dt.epoch("ms"))
        .explode("at", "value", empty_as_null=False)
        .select("number", pl.coalesce("at", "extracted").alias("at"), "value")
        .filter(pl.col("at") >= since, pl.col("at") < end)
        .collect()
    )
    heard = samples.group_by("number").agg(heard_last=pl.col("at").max())
    first_said = numbered.sort("number", "line").unique("number", keep="first", maintain_order=True)
    spoken = first_said.join(heard, on="number", how="inner", validate="1:1").sort("number")
    is_parent = (pl.col("gpu_instance") == "") & _shows_slices(pl.col("heard_last") >= start).over("gpu")
    spoken = spoken.with_columns(is_parent=is_parent)
    series = spoken.filter(~pl.col("is_parent")).drop("is_parent").with_row_index("source")
    devices = series.select(DEVICE).unique().sort(DEVICE).with_row_index("device").cast({"device": pl.Int64})
    parents = spoken.filter("is_parent").select("number", "gpu")
    return Said(
        series=series.join(devices, on=list(DEVICE), how="left", validate="m:1", maintain_order="left"),
        samples=samples.join(series.select("number", "source"), on="number", how="inner", validate="m:1").drop(
            "number"
        ),
        parents=samples.join(parents, on="number", how="inner", validate="m:1").unique().select("gpu", "at"),
    )


def _shows_slices(is_of_day: pl.Expr) -> pl.Expr:
    """Of the series of one GPU: whether one of the day is of a slice; of a GPU that is silent that day, whether any."""
    is_slice = pl.col("gpu_instance") != ""
    return (is_slice & is_of_day).any() | (is_slice.any() & ~is_of_day.any())
