"""Telemetry that a site exports to Parquet itself: long, a row per sample, or wide, a column per metric.

The columns are documented in docs/connecting-your-cluster.md. Not here: names and units, which are those of exporters.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from chargeback.usage import dcgm_names as names
from chargeback.usage.dcgm_rows import SeriesGathered
from chargeback.usage.extract import ParsedExtract, UnreadableExtract

TIME_COLUMNS = ("timestamp", "time")
VALUE_COLUMN = "value"
MOST_CELLS = 500_000_000
"""Rows times columns: a few bytes of Parquet can stand for any number of equal rows."""

_COLUMNS_NEEDED = "needed are timestamp (with a zone, or integer milliseconds since 1970), and metric and value or a \
column named after each metric, and UUID"


def parse_parquet(content: bytes, *, cluster: str) -> ParsedExtract:
    """Read one file; a record is a series (a metric under one set of labels), or a row without time or metric.

    Raises:  UnreadableExtract for a file that is damaged or lacks the columns that are needed.
    """
    what = f"not telemetry of cluster {cluster}"
    long = _long(_table(content, what), what).with_row_index("line", offset=1)
    labels = [name for name, dtype in long.schema.items() if dtype == pl.String and name not in ("metric", "text")]
    is_placed = pl.col("at").is_not_null() & pl.col("metric").is_not_null()
    gathered = SeriesGathered()
    for (line,) in long.filter(~is_placed).select("line").iter_rows():
        gathered.refuse(line, "row without a time or a metric", "")
    said = long.filter(is_placed, pl.col("text").is_not_null())
    numbered = said.with_columns(copy=pl.int_range(pl.len()).over("metric", *labels, "at"))
    keys = ["metric", *labels, "copy"]
    series = numbered.group_by(keys).agg(pl.col("line").min()).sort("line", "copy")
    rows = pl.Series([_added(gathered, each, labels) for each in series.iter_rows(named=True)], dtype=pl.UInt32)
    samples = numbered.join(series.select(keys).with_columns(row=rows), on=keys, nulls_equal=True, validate="m:1")
    return gathered.parsed(samples.filter(pl.col("row").is_not_null()).select("row", "at", "text"))


def _table(content: bytes, what: str) -> pl.DataFrame:
    """All columns. Arrow reads and judges it first: a damaged file ends the process in polars' reader."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        cells = file.metadata.num_rows * file.metadata.num_columns
        if cells > MOST_CELLS:
            raise UnreadableExtract(f"{what}: {cells:,} values in one file, at most {MOST_CELLS:,}: export it in parts")
        read = file.read(use_threads=False)
        read.validate(full=True)
        kept = {column.name: read[at] for at, column in enumerate(read.schema) if _is_plain(column)}
        return pl.DataFrame(pl.from_arrow(pa.table(kept)))  # without the file's own annotations, which nobody checked
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError) as error:
        if isinstance(error, UnreadableExtract):
            raise
        told = (str(error).splitlines() or [type(error).__name__])[0]
        raise UnreadableExtract(f"{what}: no readable Parquet ({told}); export it again") from error


def _is_plain(column: pa.Field) -> bool:
    """A column of single values; a type that cannot even be named raises UnicodeDecodeError."""
    return bool(str(column.type)) and not pa.types.is_nested(column.type)


def _added(gathered: SeriesGathered, series: Mapping[str, Any], labels: Sequence[str]) -> int | None:
    said = {name: series[name] for name in labels if series[name]}
    return gathered.add(series["metric"], said, first=None, line=series["line"], excerpt=str(said))


def _long(table: pl.DataFrame, what: str) -> pl.DataFrame:
    """One row per sample: `at` in milliseconds, `metric`, the number as `text`, and a text column per label."""
    time = next((name for name in TIME_COLUMNS if name in table.columns), None)
    metric = next((name for name in names.NAME_LABELS if name in table.columns), None)
    if time is None:
        raise UnreadableExtract(f"{what}: its columns are {', '.join(table.columns)}; {_COLUMNS_NEEDED}")
    labels = [name for name, dtype in table.schema.items() if dtype in (pl.String, pl.Categorical) and name != metric]
    at = _milliseconds(table.schema[time], time, what)
    texts = [pl.col(name).cast(pl.String) for name in labels if name != VALUE_COLUMN]
    if metric is not None and VALUE_COLUMN in table.columns:
        spelled = {"metric": pl.col(metric).cast(pl.String), "text": pl.col(VALUE_COLUMN).cast(pl.String)}
        return table.select(*texts, at=at, **spelled)
    measured = [name for name in table.columns if names.metric_called(name) and table.schema[name].is_numeric()]
    if not measured:
        raise UnreadableExtract(f"{what}: its columns are {', '.join(table.columns)}; {_COLUMNS_NEEDED}")
    wide = table.select(*texts, pl.col(measured).cast(pl.String), at=at)
    return wide.unpivot(measured, index=[*labels, "at"], variable_name="metric", value_name="text")


def _milliseconds(dtype: pl.DataType, name: str, what: str) -> pl.Expr:
    if dtype.is_integer():
        return pl.col(name).cast(pl.Int64)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        return pl.col(name).dt.epoch("ms")
    raise UnreadableExtract(f"{what}: column {name} is {dtype}, which names no instant; {_COLUMNS_NEEDED}")
