"""Which number of a host is which GPU: the table that turns Slurm's device indices into UUIDs.

Slurm's IDX counts minor numbers (/dev/nvidiaN); NVML and exporters count by bus order, and on some hosts the two
differ (case D12). Not here: joining indices through the table (bindings).
"""

import csv
import hashlib
import io
import json
from collections import Counter
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.observations import PLACE, fold_observations

DEVICE_MAP_COLUMNS = {
    "host": pl.String(),
    "minor": pl.Int64(),
    "nvml_index": pl.Int64(),
    "uuid": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}
COLUMNS = ("host", "minor", "nvml_index", "uuid")

REPEATED = "the same line stands before"


def parse_device_map(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read `host,minor,nvml_index,uuid`: CSV with a header, the maps of any number of hosts one after the other.

    Output:  source columns of contracts.raw_device_maps and `line`. A map is in force from its extraction on, so
             `overlaps_from` and `overlaps_until` are null. A minor number that stands for two GPUs of a host stands for
             neither: both lines are quarantined.
    Raises:  UnreadableExtract if it is no CSV, or the first line does not name host, minor and uuid.
    """
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    lines = _lines_of(text, cluster)
    header = [name.lower() for name in lines[0]] if lines else []
    if not {"host", "minor", "uuid"} <= set(header):
        raise UnreadableExtract(
            f"no device map of cluster {cluster}: its first line must be {','.join(COLUMNS)}; "
            "infra/extract/slurm-prolog-gpus.sh --device-map writes it"
        )
    rows: list[dict[str, object]] = []
    quarantined: list[Quarantined] = []
    ignored = 0
    seen: set[tuple[object, ...]] = set()
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cells) or [cell.lower() for cell in cells] == header:
            continue
        row = _row(dict(zip(header, cells, strict=False)), number)
        if isinstance(row, str):
            quarantined.append(Quarantined(number, row, ",".join(cells)[:EXCERPT_LENGTH], None))
        elif (said := tuple(row[name] for name in COLUMNS)) in seen:
            ignored += 1
        else:
            seen.add(said)
            rows.append(row)
    named, doubled = _named_once(rows)
    frame = pl.DataFrame(named, schema=DEVICE_MAP_COLUMNS)
    reasons = {REPEATED: ignored} if ignored else {}
    unread = tuple(sorted([*quarantined, *doubled], key=lambda each: each.line))
    return ParsedExtract(frame, len(frame) + ignored + len(unread), ignored, unread, ignored_reasons=reasons)


def _lines_of(text: str, cluster: str) -> list[list[str]]:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    except csv.Error as fault:
        raise UnreadableExtract(f"no device map of cluster {cluster}: cannot be read as CSV: {fault}") from None


def raw_device_maps_of_day(observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """The map of every host in force on a day: the latest extracted before the day's end, else the first after it.

    Input:   frames of parse_device_map with `object` and `extracted_at`, concatenated; what an object says of a host is
             that host's whole map.
    Output:  contracts.raw_device_maps, sorted by key. Of trailing maps of a host that say the same the earliest stands,
             so landing the same map every night rewrites no day.
    """
    place = [name for name in PLACE if name != "line"]
    said = pl.struct("minor", "nvml_index", "uuid").sort_by("minor").struct.json_encode().str.join("\n")
    maps = observations.group_by("host", *place).agg(pl.col("line").min(), said=said)
    before = fold_observations(
        maps.filter(pl.col("extracted_at") < interval.end), key=("host",), facts=("said",), final=None
    )
    after = maps.join(before, on="host", how="anti").sort("host", *PLACE).unique("host", keep="first")
    chosen = pl.concat([before.select("host", *place), after.select("host", *place)])
    return (
        observations.join(chosen, on=["host", *place], how="semi")
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_DEVICE_MAPS.column_names)
        .sort(RAW_DEVICE_MAPS.key)
    )


def device_map_said(maps: pl.DataFrame) -> str:
    """Hash of what one object says, whatever the order of its lines."""
    return hashlib.sha256(json.dumps(maps.select(COLUMNS).sort(COLUMNS).rows()).encode()).hexdigest()


def _row(fields: dict[str, str], number: int) -> dict[str, object] | str:
    """The row, or why the line cannot be used."""
    host, minor, index, uuid = (fields.get(name, "") for name in COLUMNS)
    if not host or not uuid:
        return "line without a host or a UUID"
    for name, text in (("minor", minor), ("nvml_index", index or "0")):
        if not (text.isascii() and text.isdigit()):
            return f"{name} of host {host} is {text!r}, not a number"
    nvml_index = int(index) if index else None
    speaks = {"overlaps_from": None, "overlaps_until": None}
    return {"host": host, "minor": int(minor), "nvml_index": nvml_index, "uuid": uuid, "line": number, **speaks}


def _named_once(rows: list[dict[str, object]]) -> tuple[list[dict[str, object]], list[Quarantined]]:
    """The rows whose minor number stands once on its host, and the others as quarantined."""
    counts = Counter((row["host"], row["minor"]) for row in rows)
    doubled = [
        Quarantined(
            int(str(row["line"])),
            f"minor {row['minor']} of host {row['host']} stands for more than one GPU; write the map anew",
            ",".join(str(row[name]) for name in COLUMNS),
            None,
        )
        for row in rows
        if counts[row["host"], row["minor"]] > 1
    ]
    return [row for row in rows if counts[row["host"], row["minor"]] == 1], doubled
