"""Tables written as text in tests, and the places where shared public inputs lie."""

import os
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.contract import Contract

CASES = Path(__file__).parent / "cases"
SHARED = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared"))


def shared_file(*parts: str) -> Path:
    """A public input, read where it lies; the test is skipped, saying so, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"public input {'/'.join(parts)} is absent: set SHARED to the folder that holds it")
    return path


def instant(text: str) -> datetime:
    """`2026-03-31T23:00Z` as an instant."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def _value(text: str, dtype: pl.DataType) -> object:
    if text == "-":
        return None
    if text == "''":
        return ""
    if dtype in (pl.Int64, pl.Int32):
        return int(text)
    if isinstance(dtype, pl.Datetime):
        return instant(text)
    if dtype == pl.Boolean:
        return text == "true"
    return text


def a_table_of(contract: Contract, text: str, **defaults: object) -> pl.DataFrame:
    """A frame of a contract from a header line and rows, columns separated by two spaces or more.

    `-` is null, `''` the empty string. Columns that the text leaves out take their value from `defaults`, else null
    where the contract allows it, else an empty string, one or false.
    """
    lines = [[cell.strip() for cell in line.strip().replace("\t", "  ").split("  ") if cell.strip()]
             for line in text.strip().splitlines()]  # fmt: skip
    header, rows = lines[0], lines[1:]
    columns: dict[str, list[object]] = {}
    for column in contract.columns:
        if column.name in header:
            at = header.index(column.name)
            columns[column.name] = [_value(row[at], column.dtype) for row in rows]
        else:
            columns[column.name] = [defaults.get(column.name, _filler(column.dtype, column.nullable))] * len(rows)
    return pl.DataFrame(columns, schema=contract.schema)


def _filler(dtype: pl.DataType, nullable: bool) -> object:
    if nullable:
        return None
    if dtype == pl.String:
        return ""
    if dtype == pl.Boolean:
        return False
    if isinstance(dtype, pl.Datetime):
        return datetime(2026, 1, 1, tzinfo=UTC)
    return 1 if dtype == pl.Int64 else 0
