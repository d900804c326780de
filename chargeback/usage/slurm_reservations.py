"""Slurm reservations, from `sacctmgr -P show reservation` or from `scontrol show reservation`.

Not here: what a reservation does to capacity (circumstances.py), and who pays for what of it nobody used.
"""

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.observations import fold_observations
from chargeback.usage.sacctmgr_text import SacctmgrTable, of_other_clusters, read_table, split_faulty, with_instants
from chargeback.usage.scontrol_text import split_records

RESERVATION_COLUMNS = {
    "Name": pl.String(),
    "TimeStart": INSTANT,
    "TimeEnd": INSTANT,
    "NodeNames": pl.String(),
    "TRES": pl.String(),
    "Accounts": pl.String(),
    "Flags": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

KEY = ("Name", "TimeStart")

_ALSO_CALLED = {
    "start": "timestart",
    "starttime": "timestart",
    "end": "timeend",
    "endtime": "timeend",
    "reservationname": "name",
    "nodes": "nodenames",
    "assocs": "accounts",
    "associations": "accounts",
}

_FIELD = re.compile(r"(?:^|\s)(?P<key>[A-Za-z][\w:/]*)=(?P<value>\S*)")


def parse_reservations(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:
    """Read one extract of reservations, in either layout.

    Output:  source columns of contracts.raw_reservations and `line`; NodeNames, Accounts and Flags are null where the
             extract does not have them.
    Raises:  UnreadableExtract if it is neither layout.
    """
    if b"ReservationName=" in content:
        table = SacctmgrTable(pl.DataFrame(list(_scontrol_rows(content)), schema=_TEXT_COLUMNS), ())
    else:
        table = read_table(_with_usual_names(content), what="reservation", wanted=("name", "timestart", "timeend"))
    timed = with_instants(table.frame, ("timestart", "timeend"), zone=zone, what=f"reservation of {cluster}")
    elsewhere = of_other_clusters(timed, cluster=cluster, what="reservation")
    impossible = (
        pl.when(pl.col("timestart").is_null() | pl.col("timeend").is_null())
        .then(pl.lit("reservation without a start or an end"))
        .when(pl.col("timeend") < pl.col("timestart"))
        .then(pl.lit("reservation that ends before it starts"))
    )
    good, faulty = split_faulty(
        timed.with_columns(fault=pl.coalesce(elsewhere, "fault", impossible)), instant="timestart"
    )
    kept = good.select(
        pl.col("name").alias("Name"),
        pl.col("timestart").alias("TimeStart"),
        pl.col("timeend").alias("TimeEnd"),
        _text(good, "nodenames", "NodeNames"),
        _text(good, "tres", "TRES"),
        _text(good, "accounts", "Accounts"),
        _text(good, "flags", "Flags"),
        "line",
        pl.col("timestart").alias("overlaps_from"),
        pl.col("timeend").alias("overlaps_until"),
    )
    return ParsedExtract(kept, len(kept) + len(table.quarantined) + len(faulty), 0, (*table.quarantined, *faulty))


def raw_reservations_of_day(observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """Reservations that overlap a day, each as known when that day's facts last changed.

    Input:   frames of parse_reservations with `object` and `extracted_at`, concatenated.
    Output:  contracts.raw_reservations, sorted by key. Of one reservation the latest extract counts: an administrator
             may have shortened it. An extract speaks of the time until it was made: what is planned is not yet so.
    """
    lasted_until = pl.min_horizontal("TimeEnd", "extracted_at")
    overlaps = (pl.col("TimeStart") < interval.end) & (lasted_until > interval.start)
    counted = fold_observations(
        observations.with_columns(overlaps=overlaps, ends_on_day=pl.min_horizontal("TimeEnd", pl.lit(interval.end))),
        key=KEY,
        facts=("ends_on_day", "overlaps", "NodeNames", "TRES", "Accounts", "Flags"),
        final=None,
    )
    return (
        counted.filter(pl.col("overlaps"))
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_RESERVATIONS.column_names)
        .sort(RAW_RESERVATIONS.key)
    )


_TEXT_COLUMNS = {
    **dict.fromkeys(("name", "timestart", "timeend", "nodenames", "tres", "accounts", "flags"), pl.String()),
    "line": pl.Int64(),
    "text": pl.String(),
}


def _scontrol_rows(content: bytes) -> Iterator[dict[str, object]]:
    for line, body in split_records(content.decode("utf-8", errors="replace"), key="ReservationName"):
        fields = {_usual(match["key"]): match["value"] for match in _FIELD.finditer(body)}
        yield {name: fields.get(name) for name in _TEXT_COLUMNS} | {"line": line, "text": body}


def _with_usual_names(content: bytes) -> bytes:
    """The table with the header's other spellings (Start, Nodes, Assocs) replaced by the usual ones."""
    header, newline, rest = content.partition(b"\n")
    spelled = re.sub(rb"[A-Za-z]+", lambda match: _usual(match[0].decode()).encode(), header)
    return spelled + newline + rest


def _usual(name: str) -> str:
    return _ALSO_CALLED.get(name.lower(), name.lower())


def _text(frame: pl.DataFrame, source: str, name: str) -> pl.Expr:
    """A text column under its contract name, null where the extract lacks it or says nothing."""
    if source not in frame.columns:
        return pl.lit(None, pl.String).alias(name)
    absent = pl.col(source).is_in(["", "(null)", "N/A"])
    return pl.when(absent.not_()).then(pl.col(source)).alias(name)
