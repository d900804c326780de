"""The fiscal year of a month, called after the year in which it ends.

With a first month of October, FY2026 is 2025-10 to 2026-09.
"""

import re

MONTHS = 12
_FISCAL_YEAR = re.compile(r"FY(\d{4})")


def fiscal_year_of(month: str, *, first_month: int) -> str:
    """The fiscal year of a month: `FY2026`."""
    year, number = int(month[:4]), int(month[5:])
    return f"FY{year + (1 if first_month > 1 and number >= first_month else 0):04d}"


def months_of_fiscal_year(name: str, *, first_month: int) -> list[str]:
    """Its twelve months, in order. Raises ValueError for a name that is none."""
    match = _FISCAL_YEAR.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is no fiscal year: write FY2026, after the year in which it ends")
    year = int(match[1]) - (1 if first_month > 1 else 0)
    numbers = (divmod(first_month - 1 + offset, MONTHS) for offset in range(MONTHS))
    return [f"{year + more:04d}-{month + 1:02d}" for more, month in numbers]
