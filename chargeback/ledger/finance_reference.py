"""Finance's own figures of a parallel month, as it lands them: per cost centre, or one total of the pool.

    month,cost_centre,amount,currency,source,gpu_hours,rate,credits
    2026-10,CC-1,12345.67,EUR,cost report of 2026-11-04,5100,2.40,-12.00
    2026-10,,310000.00,EUR,pool 7710

A row without a cost centre is the total of the pool. `gpu_hours`, `rate` and `credits` (negative) are finance's own, as
far as it has them: what is not said cannot explain a difference. Known by its header: month, cost_centre, amount and
source. A file is whole for each month that it names; the latest that names a month is all of it.
Not here: what our figures are held against it (variance.py).
"""

import csv
import io
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.money import Currency

REQUIRED = ("month", "cost_centre", "amount", "currency", "source")
OPTIONAL = ("gpu_hours", "rate", "credits")
POOL = ""
"""Cost centre of a row that is the total of the pool."""

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Reference:
    """What finance says of one cost centre in one month; None where it does not say."""

    month: str
    cost_centre: str
    amount: Decimal
    source: str
    gpu_hours: Fraction | None = None
    rate: Fraction | None = None
    credits: Decimal | None = None


@dataclass(frozen=True, slots=True)
class FinanceReference:
    """One file: what it says, and a sentence for every row that cannot be read."""

    rows: tuple[Reference, ...]
    faults: tuple[str, ...]

    @property
    def months(self) -> frozenset[str]:
        """The months that it is whole for."""
        return frozenset(row.month for row in self.rows)

    def of_month(self, month: str) -> tuple[Reference, ...]:
        """Its part of a month."""
        return tuple(row for row in self.rows if row.month == month)


def read_finance_reference(content: bytes, *, object_key: str, currency: Currency | None = None) -> FinanceReference:
    """Read a file. With `currency`, rows in another one, or finer than its minor unit, are faults."""
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig", errors="replace"), newline=""))
    rows: list[Reference] = []
    faults: list[str] = []
    seen: set[tuple[str, str]] = set()
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in REQUIRED if name not in header]
        strange = [name for name in header if name not in (*REQUIRED, *OPTIONAL)]
        if missing or strange:
            told = f"column {', '.join(missing)} is missing" if missing else f"column {', '.join(strange)} is unknown"
            known = ",".join((*REQUIRED, *OPTIONAL))
            return FinanceReference((), (f"{object_key} line 1: {told}: the columns are {known}",))
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
            where = f"{object_key} line {reader.line_num}"
            found = _faults(row, width=(len(cells), len(header)), currency=currency)
            key = (row.get("month", ""), row.get("cost_centre", ""))
            if not found and key in seen:
                found = [f"{key[1] or 'the pool'} of {key[0]} stands twice: one row a cost centre and month"]
            seen.add(key)
            faults += [f"{where}: {fault}" for fault in found]
            if not found:
                rows.append(_reference(row))
    except csv.Error as fault:
        faults.append(f"{object_key} line {reader.line_num}: cannot be read as CSV: {fault}")
    mixed = sorted({row.month for row in rows if row.cost_centre} & {row.month for row in rows if not row.cost_centre})
    faults += [f"{object_key}: {month} has a total of the pool beside cost centres: give one or the other"
               for month in mixed]  # fmt: skip
    return FinanceReference(tuple(rows), tuple(faults))


def _reference(row: dict[str, str]) -> Reference:
    hours, rate, credit = (row.get(name, "") for name in OPTIONAL)
    return Reference(
        month=row["month"],
        cost_centre=row["cost_centre"],
        amount=Decimal(row["amount"]),
        source=row["source"],
        gpu_hours=Fraction(hours) if hours else None,
        rate=Fraction(rate) if rate else None,
        credits=Decimal(credit) if credit else None,
    )


def _faults(row: dict[str, str], *, width: tuple[int, int], currency: Currency | None) -> list[str]:
    if width[0] != width[1]:
        return [f"has {width[0]} cells, the header {width[1]}: quote cells that contain commas"]
    found = []
    if not _MONTH.fullmatch(row["month"]):
        found.append(f"month {row['month']!r} is no month: write 2026-10")
    if not row["source"]:
        found.append("source is empty: say where finance has the amount from")
    for name in ("amount", *OPTIONAL):
        text = row.get(name, "")
        if (text or name == "amount") and not _NUMBER.fullmatch(text):
            found.append(f"{name} {text!r} is no number: digits and a point, no separators")
        elif currency and text and name in ("amount", "credits") and Decimal(text) != currency.round(Fraction(text)):
            found.append(f"{name} {text} is finer than one minor unit of {currency.code}")
    if not found and Fraction(row.get("gpu_hours") or 0) < 0:
        found.append(f"gpu_hours {row['gpu_hours']} is negative")
    if not found and row.get("credits", "") and Decimal(row["credits"]) > 0:
        found.append(f"credits {row['credits']} is positive: what is forgiven is negative")
    if currency and row["currency"] != currency.code:
        found.append(f"currency {row['currency']!r}, the lake bills in {currency.code}: nothing is converted")
    return found
