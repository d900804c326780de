"""What the platform really cost in a month: an extract of the general ledger that finance lands as CSV.

    posting_month,gl_account,component,accelerator,amount,currency
    2026-10,620100,power,h100-sxm5-80gb,41230.55,EUR
    2026-10,630500,staff,,31500.00,EUR

It lies in finance-reference/ beside finance's own figures of a parallel month, and is known by its header:
posting_month and gl_account. `component` is one of the build-up's (COST_COMPONENTS); without an accelerator the amount
is shared by what the card plans of that component. A reversal is a negative amount. An extract is whole for each month
that it names: the latest one that names a month is all of it. A row that cannot be read is quarantined, and said.
Not here: knowing one by its header (usage/people_kinds.py), what the amounts are held against (recovery.py).
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.money import Currency, split_amount

FILE_COLUMNS = ("posting_month", "gl_account", "component", "accelerator", "amount", "currency")
COST_COMPONENTS = ("depreciation", "support", "power", "space", "interconnect", "storage", "staff", "software")
"""What money is spent on; a carry-forward is no spending."""

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_AMOUNT = re.compile(r"-?\d{1,15}(\.\d{1,4})?")
_ACCELERATOR = re.compile(r"([a-z0-9][a-z0-9.+-]*)?")


@dataclass(frozen=True, slots=True)
class Posted:
    """One row that can be used. `accelerator` is empty for what all of them share."""

    month: str
    account: str
    component: str
    accelerator: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Unread:
    """One row that cannot be used: where it stands and why. `month` is what it names, '' if that is no month."""

    object_key: str
    line: int
    reason: str
    month: str = ""

    @property
    def said(self) -> str:
        """As a sentence."""
        return f"{self.object_key} line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class GeneralLedger:
    """One extract: its rows, and those that cannot be read."""

    posted: tuple[Posted, ...]
    quarantined: tuple[Unread, ...]

    @property
    def months(self) -> frozenset[str]:
        """The months that it is whole for."""
        return frozenset({row.month for row in self.posted} | {row.month for row in self.quarantined} - {""})

    def of_month(self, month: str) -> "GeneralLedger":
        """Its part of a month; a row whose month nobody can read is in question in each of them."""
        return GeneralLedger(
            tuple(row for row in self.posted if row.month == month),
            tuple(row for row in self.quarantined if row.month in (month, "")),
        )


def read_general_ledger(content: bytes, *, object_key: str, currency: Currency | None = None) -> GeneralLedger:
    """Read an extract. With `currency`, rows in another one, or finer than its minor unit, are quarantined.

    Output: what can be used, and a sentence for every row that cannot: object, line, what is wrong, what to do.
    """
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig", errors="replace"), newline=""))
    posted: list[Posted] = []
    quarantined: list[Unread] = []
    header: list[str] = []
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in FILE_COLUMNS if name not in header]
        if missing:
            columns = f"the columns are {','.join(FILE_COLUMNS)}"
            return GeneralLedger((), (Unread(object_key, 1, f"column {', '.join(missing)} is missing: {columns}"),))
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
            faults = _faults(row, width=(len(cells), len(header)), currency=currency)
            if faults:
                month = row.get("posting_month", "")
                named = month if _MONTH.fullmatch(month) else ""
                quarantined.append(Unread(object_key, reader.line_num, "; ".join(faults), named))
            else:
                posted.append(
                    Posted(row["posting_month"], row["gl_account"], row["component"], row["accelerator"],
                           Decimal(row["amount"]))
                )  # fmt: skip
    except csv.Error as fault:
        quarantined.append(Unread(object_key, reader.line_num, f"cannot be read as CSV: {fault}"))
    return GeneralLedger(tuple(posted), tuple(quarantined))


def actual_costs(
    posted: Sequence[Posted], planned: Mapping[str, Mapping[str, Fraction]], *, currency: Currency
) -> tuple[dict[str, dict[str, Decimal]], list[Posted]]:
    """What each planned accelerator cost by component, to the minor unit, and the rows that no planned accelerator has.

    Input:   rows of one month; `planned`: accelerator -> component -> planned cost of the month.
    Output:  every posted amount is in exactly one of both. An amount without an accelerator is split by the planned
             cost of its component, else of all components, else evenly: largest remainder, so that no cent is lost.
    """
    actual: dict[str, dict[str, Decimal]] = {accelerator: {} for accelerator in planned}
    unplaced = []
    for row in posted:
        if (row.accelerator and row.accelerator not in planned) or not planned:
            unplaced.append(row)
            continue
        weights = {row.accelerator: Fraction(1)} if row.accelerator else _weights(row.component, planned)
        for accelerator, amount in split_amount(row.amount, weights=weights, currency=currency).items():
            costs = actual[accelerator]
            costs[row.component] = costs.get(row.component, Decimal(0)) + amount
    return actual, unplaced


def _weights(component: str, planned: Mapping[str, Mapping[str, Fraction]]) -> dict[str, Fraction]:
    candidates = (
        {accelerator: max(costs.get(component, Fraction(0)), Fraction(0)) for accelerator, costs in planned.items()},
        {accelerator: max(sum(costs.values(), Fraction(0)), Fraction(0)) for accelerator, costs in planned.items()},
    )
    evenly = dict.fromkeys(planned, Fraction(1))
    return next((weights for weights in candidates if sum(weights.values()) > 0), evenly)


def _faults(row: Mapping[str, str], *, width: tuple[int, int], currency: Currency | None) -> list[str]:
    if width[0] != width[1]:
        return [f"has {width[0]} cells, the header {width[1]}: quote cells that contain commas"]
    faults = []
    if not _MONTH.fullmatch(row["posting_month"]):
        faults.append(f"posting_month {row['posting_month']!r} is no month: write 2026-10")
    if row["component"] not in COST_COMPONENTS:
        faults.append(f"component {row['component']!r} is none of {', '.join(COST_COMPONENTS)}: map the account to one")
    if not _ACCELERATOR.fullmatch(row["accelerator"]):
        faults.append(f"accelerator {row['accelerator']!r}: write it as the card does, or leave it empty if shared")
    if not _AMOUNT.fullmatch(row["amount"]):
        faults.append(f"amount {row['amount']!r} is no amount: digits and a point, -12.50, no separators")
    elif currency and Decimal(row["amount"]) != currency.round(Fraction(row["amount"])):
        faults.append(f"amount {row['amount']} is finer than one minor unit of {currency.code}: post what was booked")
    if currency and row["currency"] != currency.code:
        faults.append(f"currency {row['currency']!r}, the lake bills in {currency.code}: nothing is converted")
    return faults
