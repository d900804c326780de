"""Who answers for an account: the ownership CSV read, cut to a month, and refused where it is ambiguous.

Columns of the file: cluster, kind, key, project, team, cost_centre, company, percent, valid_from, valid_until, and, if
the card has customer classes, customer_class. Dates are local days, half-open; an empty valid_until is open.
One file is the whole truth: the latest one landed replaces the others.
Not here: which row a run belongs to (owners.py).
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, pairwise

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.names import UNATTRIBUTED, slug_of
from chargeback.contracts.ownership import OWNERSHIP

FILE_COLUMNS = (
    "cluster", "kind", "key", "project", "team", "cost_centre", "company", "percent", "valid_from", "valid_until",
)  # fmt: skip
OPTIONAL_COLUMNS = ("customer_class",)
KINDS = ("account", "namespace", "queue", "label", "user", "wckey", "reservation")
OPEN_END = "9999-12-31"
"""What an open valid_until is read as."""

STATED_OWNERSHIP = {name: dtype for name, dtype in OWNERSHIP.schema.items() if name != "month"}
"""Columns of the rows of a file: contracts.ownership without the month; valid_until is OPEN_END where it is open."""

_PERCENT = re.compile(r"\d{1,3}(\.\d{1,6})?")
_CODE = re.compile(r"[A-Za-z0-9._-]+")
_OWNER = ("project", "team", "cost_centre", "company")
_LABEL_KEY = re.compile(r"[a-z0-9-]+/(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9._-]+=[A-Za-z0-9._-]*")


def read_ownership(content: bytes, *, object_key: str) -> tuple[pl.DataFrame, list[str]]:
    """Read one ownership file: rows by `STATED_OWNERSHIP` in the order of the file, and a refusal per wrong line.

    Percents are exact decimals of at most six places. A file with refusals must not be used: what is missing would be
    charged to nobody.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        return _frame([]), [f"ownership {object_key} line {line}: is not UTF-8: save the file as UTF-8"]
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, object]] = []
    refusals: list[str] = []
    try:
        header = next(reader, [])
        missing = [name for name in FILE_COLUMNS if name not in header]
        if missing or sorted(set(header) - set(OPTIONAL_COLUMNS)) != sorted(FILE_COLUMNS):
            wrong = f"column {', '.join(missing)} is missing" if missing else f"has {len(header)} columns"
            return _frame([]), [f"ownership {object_key} line 1: {wrong}: the columns are {','.join(FILE_COLUMNS)}"]
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                row, faults = _read_row(header, cells)
                refusals += [f"ownership {object_key} line {line}: {fault}" for fault in faults]
                rows += [] if faults else [{**row, "object": object_key, "line": line}]
            line = reader.line_num + 1
    except csv.Error as fault:
        refusals.append(f"ownership {object_key} line {reader.line_num}: cannot be read as CSV: {fault}")
    return _frame(rows), refusals


def ownership_of_month(rows: pl.DataFrame, *, period: BillingPeriod) -> pl.DataFrame:
    """contracts.ownership: the rows of a file that are valid in the month, cut to its local days."""
    first = period.days[0]
    end = (date.fromisoformat(period.days[-1]) + timedelta(days=1)).isoformat()
    return (
        rows.with_columns(
            month=pl.lit(period.month),
            valid_from=pl.max_horizontal("valid_from", pl.lit(first)),
            valid_until=pl.min_horizontal("valid_until", pl.lit(end)),
        )
        .filter(pl.col("valid_from") < pl.col("valid_until"))
        .select(OWNERSHIP.column_names)
        .sort(*OWNERSHIP.key, "line")
    )


def ownership_findings(rows: pl.DataFrame) -> list[str]:
    """Say where rows (of a file or of a month) contradict each other; a month with a finding is not published.

    Refused: parts of one key that add up to more than 100 % on some day (below 100 % the rest is unattributed); one
    owner twice for the same days; an owner of two customer classes in one month, since a line has one price; two
    teams whose names differ so little that they would share a statement.
    """
    by_key: dict[tuple[str, str, str], list[dict[str, object]]] = defaultdict(list)
    for row in rows.sort("line").iter_rows(named=True):
        by_key[(row["cluster"], row["kind"], row["key"])].append(row)
    findings = [finding for key in sorted(by_key) for finding in _overlaps(key, by_key[key])]
    return findings + list(_two_classes(rows)) + list(_shared_slugs(rows))


def _read_row(header: list[str], cells: list[str]) -> tuple[dict[str, object], list[str]]:
    if len(cells) != len(header):
        return {}, [f"has {len(cells)} cells, must have {len(header)}: a comma inside a cell needs quotes"]
    cell = dict(zip(header, (text.strip() for text in cells), strict=True))
    faults = [f"{name} is empty" for name in ("cluster", "key", "team", "cost_centre", "company") if not cell[name]]
    if cell["kind"] not in KINDS:
        faults.append(f"kind {cell['kind']!r} must be one of {', '.join(KINDS)}")
    if cell["kind"] == "label" and cell["key"] and not _LABEL_KEY.fullmatch(cell["key"]):
        faults.append(f"key {cell['key']!r} must be namespace/label=value: a label counts only where it is named")
    if slug_of(cell["team"]) == UNATTRIBUTED:
        faults.append(f"team {cell['team']!r} is the name of the suspense line: name the team that answers for it")
    if cell["company"] and not _CODE.fullmatch(cell["company"]):
        faults.append(f"company {cell['company']!r} must be a code of letters, digits, dots and hyphens")
    percent = Fraction(cell["percent"]) if _PERCENT.fullmatch(cell["percent"]) else Fraction(0)
    if not 0 < percent <= 100:
        faults.append(f"percent {cell['percent']!r} must be above 0 and at most 100, with at most six decimals: 33.333")
    faults += [f"{name} {cell[name]!r} must be a day, 2026-03-21" for name in ("valid_from", "valid_until")
               if not _is_day(cell[name], may_be_empty=name == "valid_until")]  # fmt: skip
    until = cell["valid_until"] or OPEN_END
    if not faults and until <= cell["valid_from"]:
        faults.append(
            f"valid_until {until} is not after valid_from {cell['valid_from']}: it is the first day without it"
        )
    part = percent / 100
    parts = {"percent_numerator": part.numerator, "percent_denominator": part.denominator}
    return {"customer_class": "", **cell, **parts, "valid_until": until}, faults


def _is_day(text: str, *, may_be_empty: bool) -> bool:
    if not text:
        return may_be_empty
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    columns = {name: [row[name] for row in rows] for name in STATED_OWNERSHIP}
    return pl.DataFrame(columns, schema=STATED_OWNERSHIP)


def _overlaps(key: tuple[str, str, str], rows: list[dict[str, object]]) -> Iterator[str]:
    cluster, kind, name = key
    borders = sorted({str(row[end]) for row in rows for end in ("valid_from", "valid_until")})
    for start, end in pairwise(borders):
        valid = [row for row in rows if str(row["valid_from"]) <= start and end <= str(row["valid_until"])]
        parts = [Fraction(int(str(r["percent_numerator"])), int(str(r["percent_denominator"]))) for r in valid]
        total = sum(parts, Fraction(0)) * 100
        lines = " and ".join(str(row["line"]) for row in valid)
        where = f"ownership lines {lines}: {kind} {name} on {cluster}"
        if total > 100:
            yield (
                f"{where} is owned {_percent(total)} % from {start}, {_percent(total - 100)} % too much: "
                "end the older row with valid_until, or lower a percent"
            )
            return
        owners = [tuple(row[column] for column in _OWNER) for row in valid]
        if len(set(owners)) < len(owners):
            yield f"{where} names one owner twice from {start}: add the percents up in one row"
            return


def _two_classes(rows: pl.DataFrame) -> Iterator[str]:
    by_owner: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows.sort("line").iter_rows(named=True):
        by_owner[tuple(row[column] for column in _OWNER)].append(row)
    several = [owner for owner, of in by_owner.items() if len({row["customer_class"] for row in of}) > 1]
    for owner in sorted(several):
        for row, other in combinations(by_owner[owner], 2):
            if row["customer_class"] != other["customer_class"] and _share_a_month(row, other):
                yield (
                    f"ownership lines {row['line']} and {other['line']}: {owner[1]} is of class "
                    f"{row['customer_class'] or 'none'!r} and {other['customer_class'] or 'none'!r} in one month: "
                    "a class changes with a month, for all rows of an owner"
                )
                break


def _share_a_month(row: dict[str, str], other: dict[str, str]) -> bool:
    last, other_last = (
        (date.fromisoformat(each["valid_until"]) - timedelta(days=1)).isoformat()[:7] for each in (row, other)
    )
    return row["valid_from"][:7] <= other_last and other["valid_from"][:7] <= last


def _percent(value: Fraction) -> str:
    return f"{round(value * 10**6) / 10**6:f}".rstrip("0").rstrip(".")


def _shared_slugs(rows: pl.DataFrame) -> Iterator[str]:
    first_line: dict[str, tuple[str, int]] = {}
    for team, line in rows.sort("line").select("team", "line").iter_rows():
        other, other_line = first_line.setdefault(slug_of(team), (team, line))
        if other != team:
            yield (
                f"ownership lines {other_line} and {line}: teams {other!r} and {team!r} would share the name "
                f"{slug_of(team)!r} in ids: spell one team one way"
            )
