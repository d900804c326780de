"""Slurm node listings: `scontrol show node` in all its layouts, and the inventory that is in force on a day.

Reads text (one line or many a node, few fields or all) and, through slurm_nodes_json.py, JSON. Not here: what a Gres
text means (gres.py), and capacity (inventory.py).
"""

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.gres import parse_configured_tres, parse_gres
from chargeback.usage.hostlist import expand_hosts
from chargeback.usage.scontrol_text import split_records
from chargeback.usage.slurm_nodes_json import node_records_of_json

NODE_COLUMNS = {
    "NodeName": pl.String(),
    "Gres": pl.String(),
    "CfgTRES": pl.String(),
    "CPUTot": pl.Int64(),
    "RealMemory": pl.Int64(),
    "State": pl.String(),
    "Partitions": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

_FIELD = re.compile(r"(?:^|\s)(?P<key>[A-Za-z][\w:/]*)=(?P<value>.*?)(?=\s+[A-Za-z][\w:/]*=|\s*$)", re.M)
_OTHER_RECORD = re.compile(r"^\s*(PartitionName|JobId|ReservationName|StepId|BurstBuffer)=", re.M)


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One node record as printed: where it begins, its fields, its text."""

    line: int
    fields: Mapping[str, str]
    text: str


def parse_nodes(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read one node listing.

    Output:  source columns of contracts.raw_nodes, `line`; a folded NodeName becomes one row per host. A listing has no
             time of its own, so `overlaps_from` and `overlaps_until` are null: it is in force from its extraction on.
    Raises:  UnreadableExtract for a text that has no node records (partitions, jobs, a sinfo table).
    A record that is cut off or unreadable is quarantined with its line. `cluster` and `zone` are not needed here; every
    parser takes them.
    """
    text = content.decode("utf-8", errors="replace")
    records = _records(text, cluster)
    rows: list[dict[str, object]] = []
    quarantined: list[Quarantined] = []
    seen: set[str] = set()
    for record in records:
        fault = _fault_of(record, seen)
        if fault:
            quarantined.append(Quarantined(record.line, fault, record.text[:EXCERPT_LENGTH], None))
            continue
        hosts = expand_hosts(record.fields["NodeName"])
        seen.update(hosts)
        rows.extend(_row(record, host) for host in hosts)
    frame = pl.DataFrame(rows, schema=NODE_COLUMNS)
    return ParsedExtract(frame, len(rows) + len(quarantined), 0, tuple(quarantined))


def raw_nodes_of_day(observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """The listing in force on a day: the latest one extracted before the day's end, else the first after it.

    Input:   frames of parse_nodes with `object` and `extracted_at`, concatenated; an object is a full listing.
    Output:  contracts.raw_nodes, sorted by key: rows of one object. Of trailing listings that say the same of the
             inventory, the earliest stands, so landing the same listing every night rewrites no day.
    """
    if not len(observations):
        return RAW_NODES.empty()
    listings = observations.select("object", "extracted_at").unique().sort("extracted_at", "object").rows()
    said = observations.partition_by("object", as_dict=True)
    known = [(extracted_at, inventory_said(said[name,])) for name, extracted_at in listings]
    in_force = listings[listing_in_force(known, interval)][0]
    return (
        observations.filter(pl.col("object") == in_force)
        .unique("NodeName", keep="first", maintain_order=True)
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_NODES.column_names)
        .sort(RAW_NODES.key)
    )


def listing_in_force(listings: Sequence[tuple[datetime, str]], interval: Interval) -> int:
    """Which of some listings holds on a day: instants of extraction, in order, and what each says (inventory_said)."""
    chosen = bisect_left(listings, interval.end, key=lambda listing: listing[0]) - 1
    while chosen > 0 and listings[chosen - 1][1] == listings[chosen][1]:
        chosen -= 1
    return max(chosen, 0)


def inventory_said(listing: pl.DataFrame) -> str:
    """Hash of what one listing says that does not change from minute to minute, whatever the order of its nodes."""
    lasting = ("NodeName", "Gres", "CfgTRES", "CPUTot", "RealMemory", "Partitions")
    rows = listing.select(lasting).sort("NodeName").rows()
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _records(text: str, cluster: str) -> list[NodeRecord]:
    if text.lstrip().startswith("{"):
        return [NodeRecord(at, fields, str(fields)) for at, fields in node_records_of_json(text, cluster=cluster)]
    records = list(_text_records(text))
    if not records:
        other = _OTHER_RECORD.search(text)
        found = f"{other[1]} records" if other else "no `NodeName=` in it"
        raise UnreadableExtract(
            f"not node records of cluster {cluster}: {found}; extract them with `scontrol show node` or `sinfo --json`"
        )
    return records


def _text_records(text: str) -> Iterator[NodeRecord]:
    for line, body in split_records(text, key="NodeName"):
        fields = {match["key"]: match["value"].strip() for match in _FIELD.finditer(body)}
        yield NodeRecord(line, fields, body)


def _fault_of(record: NodeRecord, seen: set[str]) -> str | None:
    """Why the record cannot be used; None if it can."""
    fields = record.fields
    if not fields.get("NodeName"):
        return "node record without a name; extract the listing again"
    if "Gres" not in fields and "CfgTRES" not in fields:
        return f"node {fields['NodeName']} says neither Gres nor CfgTRES: the record is cut off or lacks both fields"
    try:
        hosts = expand_hosts(fields["NodeName"])
        parse_gres(fields.get("Gres"))
        parse_configured_tres(fields.get("CfgTRES"))
    except ValueError as reason:
        return f"node {fields['NodeName']}: {reason}"
    for number in ("CPUTot", "RealMemory"):
        if number in fields and not fields[number].isdigit():
            return f"node {fields['NodeName']}: {number} is {fields[number]!r}, not a number"
    twice = seen.intersection(hosts)
    if twice:
        return f"node {min(twice)} stands more than once in this listing; the first record counts"
    return None


def _row(record: NodeRecord, host: str) -> dict[str, object]:
    fields = record.fields
    return {
        "NodeName": host,
        "Gres": _known(fields.get("Gres")),
        "CfgTRES": _known(fields.get("CfgTRES")),
        "CPUTot": int(fields["CPUTot"]) if "CPUTot" in fields else None,
        "RealMemory": int(fields["RealMemory"]) if "RealMemory" in fields else None,
        "State": _known(fields.get("State")),
        "Partitions": _known(fields.get("Partitions")),
        "line": record.line,
        "overlaps_from": None,
        "overlaps_until": None,
    }


def _known(value: str | None) -> str | None:
    return None if value in (None, "", "(null)", "N/A") else value
