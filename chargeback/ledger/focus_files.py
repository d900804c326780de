"""FOCUS rows as files: the projection to a version, CSV whose cells cannot run as formulas, Parquet. Equal rows, equal
bytes. Not here: where files lie."""

import io
from datetime import datetime

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.csv_text import FORMULA_STARTS
from chargeback.ledger.focus_numbers import decimal_digits

FILE_KINDS = ("csv", "parquet")
ROWS_PER_FILE = 250_000
LINE_END = "\r\n"

FOCUS_VERSIONS = ("1.2", "1.3", "1.4")
_SINCE_1_3 = (
    "AllocatedMethodDetails", "AllocatedMethodId", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags",
    "HostProviderName", "ServiceProviderName",
)  # fmt: skip
_UNTIL_1_3 = ("ProviderName", "PublisherName")


def projected(rows: pl.LazyFrame, *, version: str) -> pl.LazyFrame:
    """contracts.focus_cost_and_usage as a version of FOCUS has it, without our partition column.

    1.2 has neither split-cost columns nor ServiceProviderName and HostProviderName; 1.4 has dropped ProviderName and
    PublisherName. No row and no amount differs.
    Raises:  ValueError for a version that is not in FOCUS_VERSIONS.
    Source:  docs/decisions/0024.
    """
    if version not in FOCUS_VERSIONS:
        raise ValueError(f"FOCUS version {version!r} is not written here; there are: {', '.join(FOCUS_VERSIONS)}")
    dropped = {"1.2": _SINCE_1_3, "1.3": (), "1.4": _UNTIL_1_3}[version]
    return rows.drop("month", *dropped)


def parts_of(rows: pl.LazyFrame, *, rows_per_file: int = ROWS_PER_FILE) -> list[pl.LazyFrame]:
    """Rows of contracts.focus_cost_and_usage in files' worth, one after the other, each in the order of the key.

    A table promises no order, and to order a whole month takes the memory of it; so whole days stand together, as many
    as are at most `rows_per_file` rows, or one day that has more. One empty part where there are no rows.
    """
    day = pl.col("ChargePeriodStart")
    counts = rows.group_by(day).len().sort(day).collect(engine="streaming")
    parts: list[list[datetime]] = []
    counted = 0
    for begin, count in counts.iter_rows():
        counted += count
        if not parts or counted > rows_per_file:
            parts.append([])
            counted = count
        parts[-1].append(begin)
    key = [name for name in FOCUS_COST_AND_USAGE.key if name != "month"]
    return [rows.filter(day.is_between(days[0], days[-1])).sort(key) for days in parts] or [rows]


def render_focus(rows: pl.LazyFrame, kind: str) -> bytes:
    """The rows as they come, as `csv` or `parquet`."""
    frame = (rows.drop("month", strict=False)).collect()
    out = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(out, compression="zstd", statistics=True, row_group_size=ROWS_PER_FILE)
    else:
        csv_cells(frame.lazy()).collect().write_csv(out, line_terminator=LINE_END)
    return out.getvalue()


def csv_cells(rows: pl.LazyFrame) -> pl.LazyFrame:
    """The rows as a CSV has them (RFC 4180, UTF-8): plain digits, instants as 2026-10-05T00:00:00Z, empty for null."""
    return rows.select(_cell(name, dtype) for name, dtype in rows.collect_schema().items())


def _cell(name: str, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Decimal):
        return decimal_digits(name).alias(name)
    if isinstance(dtype, pl.Datetime):
        return pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    return _inert(name) if dtype == pl.String else pl.col(name)


def _inert(name: str) -> pl.Expr:
    """csv_text.inert of a column: an apostrophe before what a spreadsheet would take for a formula."""
    first = pl.col(name).str.head(1).str.normalize("NFKC")
    is_formula = pl.any_horizontal(first.str.starts_with(start) for start in FORMULA_STARTS)
    return pl.when(is_formula).then(pl.concat_str(pl.lit("'"), name)).otherwise(pl.col(name)).alias(name)
