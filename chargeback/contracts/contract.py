"""What a table promises: grain, key, columns with types, units and meaning; and how a frame breaks that promise.

Every table has one file beside this one. The write check of the lake, the Great Expectations suites, Dagster's column
metadata and docs/data-dictionary.md are derived from it. Not here: any rule that computes a table.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

INSTANT = pl.Datetime("us", "UTC")
"""A UTC instant in whole seconds; intervals are half-open."""

MONEY = pl.Decimal(38, 4)
"""An amount in a currency's minor unit (ISO 4217 has at most four decimals)."""

PRICE = pl.Decimal(38, 12)
"""A price as a rate card states it, before anything is multiplied."""


SCHEDULERS = ("slurm", "kubernetes")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its type, its unit (empty if it has none) and what it means."""

    name: str
    dtype: pl.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False
    minimum: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """One table: a row is what `grain` says, identified by `key`, stored in partitions by `partitioned_by`."""

    table: str
    grain: str
    key: tuple[str, ...]
    partitioned_by: tuple[str, ...]
    stage: str
    columns: tuple[Column, ...]
    checks: tuple[str, ...]
    schedulers: tuple[str, ...] = SCHEDULERS
    """Schedulers whose clusters have this table; a day of another scheduler has no partition of it."""
    closes: bool = True
    """Whether its months close. What became of a posting goes on after its month is closed."""

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column name -> polars type, in order."""
        return {column.name: column.dtype for column in self.columns}

    @property
    def column_names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]

    def empty(self) -> pl.DataFrame:
        """No rows, all columns."""
        return pl.DataFrame(schema=self.schema)

    def breaches(self, frame: pl.DataFrame) -> list[str]:
        """Say how the frame breaks this contract, one sentence a breach; an empty list if it keeps it.

        Schemas are compared, never coerced; order of columns counts. Values are looked at only in the right schema.
        """
        if dict(frame.schema) != self.schema or frame.columns != self.column_names:
            return list(self._schema_breaches(frame))
        return [*self._value_breaches(frame), *self._key_breaches(frame)]

    def _schema_breaches(self, frame: pl.DataFrame) -> Iterator[str]:
        for name in sorted(set(self.schema) - set(frame.columns)):
            yield f"{self.table}: column {name} is missing"
        for name in sorted(set(frame.columns) - set(self.schema)):
            yield f"{self.table}: column {name} is not in the contract"
        for name, dtype in self.schema.items():
            if name in frame.schema and frame.schema[name] != dtype:
                yield f"{self.table}.{name}: is {frame.schema[name]}, must be {dtype}"
        if set(frame.columns) == set(self.schema) and frame.columns != self.column_names:
            yield f"{self.table}: columns are in another order than the contract's"

    def _value_breaches(self, frame: pl.DataFrame) -> Iterator[str]:
        for column in self.columns:
            values = frame[column.name]
            if not column.nullable and values.null_count():
                yield f"{self.table}.{column.name}: {values.null_count()} of {len(values)} rows are null"
            if column.minimum is not None and len(values):
                lowest = values.min()
                if lowest is not None and lowest < column.minimum:  # type: ignore[operator]
                    yield f"{self.table}.{column.name}: {lowest!r} is below {column.minimum}"
            if column.values:
                strange = sorted(set(values.drop_nulls().unique()) - set(column.values))
                if strange:
                    yield f"{self.table}.{column.name}: unknown values {', '.join(map(repr, strange[:5]))}"

    def _key_breaches(self, frame: pl.DataFrame) -> Iterator[str]:
        doubled = frame.group_by(self.key).len().filter(pl.col("len") > 1)
        if len(doubled):
            first = doubled.sort(self.key).row(0, named=True)
            shown = ", ".join(f"{name}={first[name]}" for name in self.key)
            yield f"{self.table}: {len(doubled)} keys stand more than once, the first is {shown}"
