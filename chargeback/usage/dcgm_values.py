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


def fixed_point(text: pl.Series, *, factor: pl.Series, limit: pl.Series, is_counter: pl.Series) -> pl.Series:
    """Values as integers: text x factor, rounded half to even; SENTINEL or IMPOSSIBLE where there is no value.

    Input:   numbers as printed, and the `Unit` of each, in series of one length.
    Output:  Int64. Where a float cannot tell on which side of a tie a value lies, its decimal decides.
    """
    number = text.cast(pl.Float64, strict=False)
    scaled = number * factor
    whole = scaled.round(mode="half_to_even")
    is_value = (whole >= 0) & (whole <= limit) & ~number.is_between(_FP64_BLANK, _FP64_BLANK + _BLANKS_APART, "left")
    is_missing = ~is_value.fill_null(False)
    value = whole.zip_with(~is_missing, pl.Series([0.0])).cast(pl.Int64)
    doubtful = (((scaled - whole).abs() > _HALF - _NEAR_TIE).fill_null(False) & ~is_missing).arg_true()
    exact = [rounded(*each) for each in zip(text.gather(doubtful), factor.gather(doubtful), strict=True)]
    missing = is_missing.arg_true()
    codes = _codes(number.gather(missing), is_counter.gather(missing))
    return value.scatter(doubtful, exact).scatter(missing, codes)


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


def _codes(number: pl.Series, is_counter: pl.Series) -> pl.Series:
    """SENTINEL for DCGM's blank values, as printed, after a float in between, or made a percentage, and for NaN.

    IMPOSSIBLE for the rest. An energy counter may pass by the 32-bit blank, so of it that one says nothing.
    """
    is_small = _is_blank(number, _INT32_BLANK) & ~is_counter
    is_large = number.is_between(*_INT64_BLANKS) | (number / 100).is_between(*_INT64_BLANKS)
    is_sentinel = (is_small | _is_blank(number, _FP64_BLANK) | is_large | number.is_nan()).fill_null(False)
    return pl.Series([IMPOSSIBLE], dtype=pl.Int64).new_from_index(0, len(number)).zip_with(
        ~is_sentinel, pl.Series([SENTINEL], dtype=pl.Int64)
    )  # fmt: skip


def _is_blank(number: pl.Series, first: int) -> pl.Series:
    made_percentage = number.is_between(first * 100, (first + _BLANKS_APART) * 100, "left")
    return number.is_between(first, first + _BLANKS_APART, "left") | made_percentage
