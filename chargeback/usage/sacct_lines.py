"""Rows of sacct text: split by the delimiter, put together where a record was broken over lines, quarantined otherwise.

sacct does not escape its delimiter. In the last field it is part of the value; elsewhere a row is kept only if the
extra delimiters fit into free-text fields in exactly one way (design.md 7). Not here: what the values mean.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from chargeback.usage.sacct_fields import FREE_TEXT, PATTERN_OF, fits
from chargeback.usage.sacct_layouts import Layout

MOST_EXTRA_DELIMITERS = 8
MOST_LINES_OF_A_RECORD = 40


@dataclass(frozen=True, slots=True)
class SplitRows:
    """`rows`: line, text and one String column per field position; `strays`: (line, reason, text) of other lines."""

    rows: pl.DataFrame
    strays: tuple[tuple[int, str, str], ...]


def split_rows(lines: Sequence[str], layout: Layout, *, wanted: Sequence[str]) -> SplitRows:
    """Split lines into the wanted fields; a field that stands twice must have one value.

    Output: `rows` sorted by line: `line` (where the record begins), `text`, the wanted fields that the layout has.
    """
    columns = len(layout.fields)
    frame = pl.DataFrame({"text": lines}, schema={"text": pl.String}).with_row_index("line", offset=1)
    frame = frame.with_columns(
        pl.col("line").cast(pl.Int64), pl.col("text").str.strip_suffix("\r").alias("text")
    ).filter((pl.col("line") != layout.header_line) & (pl.col("text").str.strip_chars() != ""))
    delimiters = pl.col("text").str.count_matches(layout.delimiter, literal=True)
    is_whole = delimiters == columns - 1
    if layout.has_trailing_delimiter:
        is_whole = (delimiters == columns) & pl.col("text").str.ends_with(layout.delimiter)
    frame = frame.with_columns(is_whole=is_whole)
    regular = frame.filter("is_whole").drop("is_whole")
    mended, strays = _mend(frame.filter(~pl.col("is_whole")), layout)
    named = [name for name in wanted if name in layout.fields]
    whole = regular.with_columns(pl.col("text").str.split(layout.delimiter).alias("_values"))
    doubled = whole.filter(_stands_twice(layout)).select("line", "text").rows()
    strays += [(line, "a column stands twice, with different values", text) for line, text in doubled]
    whole = whole.filter(~_stands_twice(layout)).select(
        "line", "text", *(pl.col("_values").list.get(layout.fields.index(name)).alias(name) for name in named)
    )
    return SplitRows(pl.concat([whole, _frame_of(mended, layout, named)]).sort("line"), tuple(strays))


def _stands_twice(layout: Layout) -> pl.Expr:
    """A field that the header names twice has different values."""
    values = pl.col("_values").list
    pairs = [(layout.fields.index(name), at) for at, name in enumerate(layout.fields) if layout.fields.index(name) < at]
    return pl.any_horizontal(pl.lit(False), *(values.get(first) != values.get(second) for first, second in pairs))


@dataclass(frozen=True, slots=True)
class _Mended:
    line: int
    text: str
    values: tuple[str, ...]


def _frame_of(mended: Sequence[_Mended], layout: Layout, named: Sequence[str]) -> pl.DataFrame:
    columns: dict[str, list[object]] = {
        "line": [row.line for row in mended],
        "text": [row.text for row in mended],
        **{name: [row.values[layout.fields.index(name)] for row in mended] for name in named},
    }
    return pl.DataFrame(columns, schema={"line": pl.Int64, "text": pl.String, **dict.fromkeys(named, pl.String)})


def _mend(irregular: pl.DataFrame, layout: Layout) -> tuple[list[_Mended], list[tuple[int, str, str]]]:
    lines, texts = irregular["line"].to_list(), irregular["text"].to_list()
    mended: list[_Mended] = []
    strays: list[tuple[int, str, str]] = []
    at = 0
    while at < len(lines):
        used, row = _record_at(lines, texts, at, layout)
        if row is None:
            strays.append((lines[at], _stray_reason(texts[at], layout), texts[at]))
        else:
            mended.append(row)
        at += used
    return mended, strays


def _record_at(lines: Sequence[int], texts: Sequence[str], at: int, layout: Layout) -> tuple[int, _Mended | None]:
    """The record that begins at an irregular line, and how many lines it takes; a stray line takes one."""
    text = texts[at]
    if len(_values(text, layout)) > len(layout.fields):
        values = _place(_values(text, layout), layout)
        return 1, None if values is None else _Mended(lines[at], text, values)
    for used in range(2, min(MOST_LINES_OF_A_RECORD, len(lines) - at) + 1):
        if lines[at + used - 1] != lines[at] + used - 1:
            break
        text = f"{text}\n{texts[at + used - 1]}"
        values = tuple(_values(text, layout))
        if len(values) > len(layout.fields):
            break
        if len(values) == len(layout.fields) and _all_fit(layout, values):
            return used, _Mended(lines[at], text, values)
    return 1, None


def _values(text: str, layout: Layout) -> list[str]:
    values = text.split(layout.delimiter)
    if layout.has_trailing_delimiter:
        values.pop()  # empty behind the trailing delimiter; else the last field is cut off
    return values


def _all_fit(layout: Layout, values: Sequence[str]) -> bool:
    return all(fits(name, value) for name, value in zip(layout.fields, values, strict=True))


def _place(values: Sequence[str], layout: Layout) -> tuple[str, ...] | None:
    """Put the extra delimiters back into the fields that they were part of; None unless there is one way to do it.

    Ways that differ in free text only are one way: what the row bills is the same in each.
    """
    extra = len(values) - len(layout.fields)
    if extra > MOST_EXTRA_DELIMITERS:
        return None
    fitting = list(_placements(values, layout, column=0, extra=extra))
    read = [at for at, name in enumerate(layout.fields) if name in PATTERN_OF and name not in FREE_TEXT]
    billed = {tuple(row[at] for at in read) for row in fitting}
    return fitting[0] if len(billed) == 1 else None


def _placements(values: Sequence[str], layout: Layout, *, column: int, extra: int) -> Iterator[tuple[str, ...]]:
    """Every way to read the values as the fields from `column` on, `extra` delimiters being part of free text."""
    if column == len(layout.fields):
        if not values:
            yield ()
        return
    name = layout.fields[column]
    may_hold_a_delimiter = name in FREE_TEXT or column == len(layout.fields) - 1
    for width in range(1, (extra if may_hold_a_delimiter else 0) + 2):
        value = layout.delimiter.join(values[:width])
        if fits(name, value):
            rest = _placements(values[width:], layout, column=column + 1, extra=extra - width + 1)
            yield from ((value, *others) for others in rest)


def _stray_reason(text: str, layout: Layout) -> str:
    found, named = len(_values(text, layout)), len(layout.fields)
    if found > named:
        return f"{found} fields where {named} are named: a {layout.delimiter!r} inside a value shifts the columns"
    if found == 1:
        return f"not a record: no {layout.delimiter!r} in the line, {named} fields are named"
    return f"{found} fields where {named} are named: the record is cut off"
