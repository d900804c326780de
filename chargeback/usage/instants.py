"""Instants as sacct prints them, with or without a UTC offset, as polars expressions that give UTC.

A local time without an offset needs the cluster's zone; without one it is refused, never guessed. In the hour that the
clock repeats, both readings are given and the caller decides by what the record says of its length.
Source: design.md 5.1. Not here: durations.
"""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT

ABSENT_WORDS = ("", "NONE", "UNKNOWN", "N/A", "(NULL)", "0")

_DATE_AND_TIME = r"^20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d"
WITH_OFFSET = _DATE_AND_TIME + r"(?:Z|[+-]\d\d:?\d\d)$"
LOCAL = _DATE_AND_TIME + r"$"
EPOCH = r"^\d{9,10}$"


@dataclass(frozen=True, slots=True)
class InstantReading:
    """Expressions over one text column.

    `earliest` and `latest` differ only where the clock shows a local time twice; null where absent or not readable.
    `offset_seconds` is what the zone's clock was ahead of UTC; null where the text says its offset itself.
    """

    earliest: pl.Expr
    latest: pl.Expr
    is_absent: pl.Expr
    is_naive: pl.Expr
    offset_seconds: pl.Expr


def read_instant(text: pl.Expr, zone: ZoneInfo | None) -> InstantReading:
    """How to read a column of sacct times; a time without an offset and without a zone reads as null and `is_naive`."""
    is_naive = text.str.contains(LOCAL).fill_null(False)
    naive_text = pl.when(is_naive).then(text.str.slice(0, 10) + "T" + text.str.slice(11, 8))
    local = naive_text.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False)
    known = pl.coalesce(_with_offset(text), _epoch(text))
    return InstantReading(
        earliest=pl.coalesce(known, _in_zone(local, zone, repeated="earliest")),
        latest=pl.coalesce(known, _in_zone(local, zone, repeated="latest")),
        is_absent=text.str.to_uppercase().is_in(ABSENT_WORDS).fill_null(True),
        is_naive=is_naive,
        offset_seconds=(
            local.dt.replace_time_zone("UTC") - _in_zone(local, zone, repeated="earliest")
        ).dt.total_seconds(),
    )


def _with_offset(text: pl.Expr) -> pl.Expr:
    clean = text.str.slice(0, 10) + "T" + text.str.slice(11, 8) + text.str.slice(19).str.replace("Z", "+0000")
    matching = pl.when(text.str.contains(WITH_OFFSET)).then(clean.str.replace(r":(\d\d)$", "$1"))
    return matching.str.to_datetime("%Y-%m-%dT%H:%M:%S%z", time_unit="us", strict=False).dt.convert_time_zone("UTC")


def _epoch(text: pl.Expr) -> pl.Expr:
    seconds = pl.when(text.str.contains(EPOCH)).then(text.cast(pl.Int64, strict=False))
    return pl.from_epoch(seconds, time_unit="s").cast(pl.Datetime("us")).dt.replace_time_zone("UTC")


def _in_zone(local: pl.Expr, zone: ZoneInfo | None, *, repeated: str) -> pl.Expr:
    if zone is None:
        return pl.lit(None, dtype=INSTANT)
    return local.dt.replace_time_zone(zone.key, ambiguous=pl.lit(repeated), non_existent="null").dt.convert_time_zone(
        "UTC"
    )
