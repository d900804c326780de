"""Tables that `sacctmgr -P show ...` prints: a header line that names the columns, any order, any delimiter.

Not here: which columns an event or a reservation needs (slurm_events.py, slurm_reservations.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.usage.extract import EXCERPT_LENGTH, Quarantined, UnreadableExtract
from chargeback.usage.instants import read_instant

_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9_ ]+")


@dataclass(frozen=True, slots=True)
class SacctmgrTable:
    """Rows under the names of the header, each with its `line`; rows of another width are quarantined."""

    frame: pl.DataFrame
    quarantined: tuple[Quarantined, ...]


def read_table(content: bytes, *, what: str, wanted: Sequence[str]) -> SacctmgrTable:
    """Read the table whose header has all the `wanted` columns (lower-cased names).

    Output:  all columns as text, lower-cased names, plus `line` (Int64) and `text`, the whole row.
    Raises:  UnreadableExtract if no header is there: columns are never guessed.
    """
    lines = [line.removesuffix("\r") for line in content.decode("utf-8", errors="replace").split("\n")]
    header_at, header, delimiter = _header_of(lines, what=what, wanted=wanted)
    ends_with_delimiter = lines[header_at].endswith(delimiter)
    rows: list[dict[str, object]] = []
    quarantined: list[Quarantined] = []
    for number, line in enumerate(lines[header_at + 1 :], start=header_at + 2):
        if not line.strip():
            continue
        cells = (line.removesuffix(delimiter) if ends_with_delimiter else line).split(delimiter)
        if len(cells) == len(header):
            rows.append({**dict(zip(header, cells, strict=True)), "line": number, "text": line})
        else:
            fault = f"{what} has {len(cells)} fields, the header {len(header)}: cut off, or the delimiter is in a text"
            quarantined.append(Quarantined(number, fault, line[:EXCERPT_LENGTH], None))
    schema = {**dict.fromkeys(header, pl.String()), "line": pl.Int64(), "text": pl.String()}
    return SacctmgrTable(pl.DataFrame(rows, schema=schema), tuple(quarantined))


def _header_of(lines: Sequence[str], *, what: str, wanted: Sequence[str]) -> tuple[int, list[str], str]:
    """Index of the header line, its lower-cased column names and its delimiter."""
    for at, line in enumerate(lines):
        for delimiter in dict.fromkeys(_BETWEEN_WORDS.findall(line)):
            names = [name.strip().lower() for name in line.removesuffix(delimiter).split(delimiter)]
            if set(wanted) <= set(names) and len(set(names)) == len(names):
                return at, names, delimiter
        if line.strip():
            break
    raise UnreadableExtract(
        f"{what}: the first line does not name the columns {', '.join(wanted)}; "
        f"extract with `sacctmgr -P show {what}` and keep the header"
    )


def with_instants(frame: pl.DataFrame, columns: Sequence[str], *, zone: ZoneInfo | None, what: str) -> pl.DataFrame:
    """Replace text columns of times by UTC instants; null where the text says None, Unknown or nothing.

    An additional column `fault` says of a row why a time in it cannot be read, and is null else. In the hour that the
    clock repeats, the earlier reading is taken for a start (the first column) and the later for an end.
    """
    faults = []
    read = []
    for at, name in enumerate(columns):
        reading = read_instant(pl.col(name), zone)
        instant = reading.earliest if at == 0 else reading.latest
        read.append(instant.alias(name))
        naive = pl.format(
            "{} {} has no UTC offset: name the cluster's zone (--zone)", pl.lit(f"{what} time"), pl.col(name)
        )
        unreadable = pl.format("{} {} is not readable as a time", pl.lit(f"{what} time"), pl.col(name))
        is_naive = reading.is_naive & pl.lit(zone is None)
        faults.append(pl.when(is_naive).then(naive).when(instant.is_null() & reading.is_absent.not_()).then(unreadable))
    return frame.with_columns(*read, fault=pl.coalesce(faults))


def of_other_clusters(frame: pl.DataFrame, *, cluster: str, what: str) -> pl.Expr:
    """The fault of rows that a `Cluster` column gives to another cluster; null for others, or if none is asked for."""
    if not cluster or "cluster" not in frame.columns:
        return pl.lit(None, pl.String)
    name = pl.col("cluster").str.strip_chars()
    fault = pl.format("{} of cluster {}, not of {}: land it under its own name", pl.lit(what), name, pl.lit(cluster))
    return pl.when((name != "") & (name != cluster)).then(fault)


def split_faulty(frame: pl.DataFrame, *, instant: str) -> tuple[pl.DataFrame, list[Quarantined]]:
    """Rows without a fault, and the others as quarantined records; `instant` is a time that may be readable in them."""
    faulty = [
        Quarantined(row["line"], row["fault"], row["text"][:EXCERPT_LENGTH], row[instant])
        for row in frame.filter(pl.col("fault").is_not_null()).iter_rows(named=True)
    ]
    return frame.filter(pl.col("fault").is_null()), faulty
