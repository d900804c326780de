"""Durations and limits as Slurm prints them: D-HH:MM:SS, HH:MM:SS, MM:SS.mmm, UNLIMITED, Partition_Limit.

Once for a single text (exact, with fractions of a second) and once as polars expressions (whole seconds, the fraction
of a second cut off). Not here: instants.
"""

import re
from enum import Enum
from fractions import Fraction

import polars as pl

PATTERN = r"^(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{2})(?:\.(\d{1,9}))?$"

NO_LIMIT_WORDS = ("UNLIMITED", "PARTITION_LIMIT", "NOT_SET", "INFINITE")

ABSENT_WORDS = ("", "UNKNOWN", "NONE", "N/A", "(NULL)", "INVALID")

_DURATION = re.compile(PATTERN)


class Limit(Enum):
    """What a limit says when it is no duration."""

    NONE = "no limit"


def parse_duration(text: str) -> Fraction | Limit | None:
    """Exact seconds of a duration; `Limit.NONE` for UNLIMITED and Partition_Limit; None for an empty text.

    Source: sacct(1), Elapsed, TotalCPU and Timelimit.
    Raises: ValueError for any other text.
    """
    word = text.strip().upper()
    if word in ABSENT_WORDS:
        return None
    if word in NO_LIMIT_WORDS:
        return Limit.NONE
    match = _DURATION.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no duration such as 1-02:03:04, 02:03:04 or 03:04.567")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[:4])
    decimals = match[5] or "0"
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + Fraction(int(decimals), 10 ** len(decimals))


def is_absent(text: pl.Expr) -> pl.Expr:
    """The text says that there is no duration; true for null."""
    return text.str.to_uppercase().is_in(ABSENT_WORDS).fill_null(True)


def seconds_of(text: pl.Expr) -> pl.Expr:
    """Whole seconds of a duration, Int64; null where it is absent, a limit word or not readable."""
    days, hours, minutes, seconds = (
        text.str.extract(PATTERN, group).cast(pl.Int64, strict=False).fill_null(0) for group in range(1, 5)
    )
    return pl.when(text.str.contains(PATTERN)).then(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def raw_seconds_of(text: pl.Expr) -> pl.Expr:
    """Whole seconds of a bare number such as ElapsedRaw; null where it is none."""
    return pl.when(text.str.contains(r"^\d{1,12}$")).then(text.cast(pl.Int64, strict=False))


def limit_seconds_of(minutes: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Seconds of TimelimitRaw (whole minutes), else of Timelimit; null where there is no limit."""
    return pl.coalesce(raw_seconds_of(minutes) * 60, seconds_of(text))
