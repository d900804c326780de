"""FOCUS rows as files: the projection to a version, CSV whose cells cannot run as formulas, Parquet. Equal rows, equal
bytes. Not here: where files lie."""

import io

import polars as pl

from chargeback.ledger.csv_text import FORMULA_STARTS
from chargeback.ledger.focus_numbers import decimal_digits

FILE_KINDS = ("csv", "parquet")
ROWS_PER_FILE = 250_000

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


def parts_of(rows: int, *, rows_per_file: int = ROWS_PER_FILE) -> list[tuple[int, int]]:
    """(first row, how many) of each file that so many rows are written to; one file where there are none."""
    return [(first, rows_per_file) for first in range(0, max(rows, 1), rows_per_file)]


def render_focus(rows: pl.LazyFrame, kind: str) -> bytes:
    """The rows as `csv` (RFC 4180, UTF-8, instants as 2026-10-05T00:00:00Z, empty for null) or `parquet`."""
    frame = (rows.drop("month", strict=False)).collect()
    out = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(out, compression="zstd", statistics=True, row_group_size=ROWS_PER_FILE)
    else:
        frame.select(_cell(name, dtype) for name, dtype in frame.schema.items()).write_csv(out, line_terminator="\r\n")
    return out.getvalue()


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
