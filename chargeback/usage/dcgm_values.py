"""Units of telemetry: a number as an exporter prints it -> a fixed-point integer, or why it is no value.

Activity in ppm, power in mW, energy in mJ, frame buffer in MiB. DCGM prints codes for "no value" as if they were
numbers, and now and then numbers that cannot be; both are missing, and are counted apart. Nothing is clamped.
Source: dcgm_structs.h (blank values); cases D01, D02, D19. Not here: what metrics are called (dcgm_names.py).
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import polars as pl

SENTINEL = -1
IMPOSSIBLE = -2
"""What stands in place of a value that is missing. Every value that there can be is 0 or more."""

PPM = 1_000_000

_BLANKS_APART = 4
"""Not found, not supported and not permitted follow each blank value."""
_INT32_BLANK = 2_147_483_632
_FP64_BLANK = 140_737_488_355_328
_INT64_BLANKS = (9.2233720368547e18, 9.2233720368549e18)
"""Around 2 ** 63: a float in between rounds the codes together."""
_NEAR_TIE = 1e-6
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Unit:
    """How a metric is counted: what one of it is in fixed point, and the most that can be."""

    name: str
    factor: int
    limit: int
    is_counter: bool = False


RATIO = Unit("ratio", PPM, PPM)
PER_CENT = Unit("per cent", PPM // 100, PPM)
WATTS = Unit("W", 1_000, 100_000_000)
MILLIJOULES = Unit("mJ", 1, 2**53, is_counter=True)
MEBIBYTES = Unit("MiB", 1, 2**24)


def fixed_point(text: pl.Expr, *, factor: pl.Expr, limit: pl.Expr, is_counter: pl.Expr) -> pl.Expr:
    """Values as integers: text x factor, rounded half to even; SENTINEL or IMPOSSIBLE where there is no value.

    Input:   numbers as text, as printed; the unit of each (`Unit`), as expressions of the same length.
    Output:  Int64. A value within a millionth of a tie is not decided here: see `exact_ties`.
    """
    number = text.cast(pl.Float64, strict=False)
    scaled = (number * factor).round(mode="half_to_even")
    cannot_be = number.is_null() | number.is_infinite() | (scaled < 0) | (scaled > limit)
    value = pl.when(cannot_be).then(pl.lit(IMPOSSIBLE, pl.Float64)).otherwise(scaled)
    return pl.when(_is_sentinel(number, is_counter)).then(pl.lit(SENTINEL, pl.Float64)).otherwise(value).cast(pl.Int64)


def exact_ties(frame: pl.DataFrame) -> pl.DataFrame:
    """Decide by decimals what lies so near the middle of two integers that a float cannot tell.

    Input:   `text`, `factor`, `value` of `fixed_point`.
    Output:  the same rows; `value` is the exact decimal x factor, rounded half to even, wherever there is a value.
    """
    scaled = pl.col("text").cast(pl.Float64, strict=False) * pl.col("factor")
    is_near = (pl.col("value") >= 0) & ((scaled - scaled.floor() - _HALF).abs() < _NEAR_TIE)
    near = frame.filter(is_near).select("text", "factor").unique()
    if near.is_empty():
        return frame
    decided = near.with_columns(
        exact=pl.Series([rounded(text, factor) for text, factor in near.iter_rows()], dtype=pl.Int64)
    )
    return (
        frame.with_columns(_is_near=is_near)
        .join(decided, on=["text", "factor"], how="left", validate="m:1", maintain_order="left")
        .with_columns(value=pl.when("_is_near").then(pl.coalesce("exact", "value")).otherwise("value"))
        .select(frame.columns)
    )


def rounded(text: str, factor: int) -> int:
    """The decimal x factor as the nearest integer, ties to even: `0.0000005` is 0 ppm, `0.0000015` is 2."""
    return int((Decimal(text.strip()) * factor).to_integral_value(ROUND_HALF_EVEN))


def ppm_of(text: str, unit: Unit, *, devices: int = 1) -> int:
    """One utilisation in ppm of a device: `73` per cent, `0.73`, or a sum over devices as Slurm's gres/gpuutil is.

    Raises  ValueError for what is no utilisation of so many devices.
    """
    exact = Fraction(Decimal(text.strip())) * unit.factor / devices
    if not 0 <= exact <= PPM:
        raise ValueError(f"utilisation {text} {unit.name} of {devices} devices is not from 0 to 100 %")
    return round(exact)


def _is_sentinel(number: pl.Expr, is_counter: pl.Expr) -> pl.Expr:
    """DCGM's blank values, as printed, after a float in between, or made a percentage; and NaN.

    An energy counter may pass by the small blanks, so of it only the 64-bit ones count.
    """
    is_small = _blank(number, _INT32_BLANK) & ~is_counter
    is_large = number.is_between(*_INT64_BLANKS) | (number / 100).is_between(*_INT64_BLANKS)
    return is_small | _blank(number, _FP64_BLANK) | is_large | number.is_nan()


def _blank(number: pl.Expr, first: int) -> pl.Expr:
    made_percentage = number.is_between(first * 100, (first + _BLANKS_APART) * 100, closed="left")
    return number.is_between(first, first + _BLANKS_APART, closed="left") | made_percentage
