"""Which GPUs a running Slurm job has on which host: `scontrol show job -d`, and the maps that prologs write.

sacct keeps only a job's total; how an uneven total lies on its hosts is shown nowhere else, and only while it runs: a
finished job prints an empty GRES. So this is sampled. Not here: what a grant is charged as.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.usage.durations import seconds_of
from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.hostlist import expand_hosts
from chargeback.usage.observations import fold_observations
from chargeback.usage.sacctmgr_text import split_faulty, with_instants
from chargeback.usage.scontrol_text import split_records
from chargeback.usage.slurm_prolog_map import is_prolog_map, parse_prolog_map, with_prolog_maps

BINDING_COLUMNS = {
    "JobIDRaw": pl.String(),
    "Start": INSTANT,
    "host": pl.String(),
    "gres": pl.String(),
    "count": pl.Int64(),
    "device_indices": pl.String(),
    "device_uuids": pl.String(),
    "OverSubscribe": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

KEY = ("JobIDRaw", "Start", "host", "gres")
FACTS = ("count", "device_indices", "device_uuids", "OverSubscribe")

SECONDS_OF_DAY = 86_400

_JOB_ID = re.compile(r"\s*JobId=(\S*)")
# Only at the beginning of a line: a job may be named `x StartTime=2020-01-01T00:00:00`.
_FIELD = re.compile(r"^\s+(?P<key>RunTime|StartTime|OverSubscribe)=(?P<value>\S*)", re.M)
_ON_HOSTS = re.compile(r"^\s*Nodes=(?P<hosts>\S+)\s.*?\bGRES(?:_IDX)?=(?P<gres>\S*)", re.M)
_GRANT = re.compile(r"^(?P<kind>[a-z_]+)(?::(?P<type>[^:(]+))??(?::(?P<count>\d+))?(?:\(IDX:(?P<indices>.*)\))?$", re.I)

_TEXT_COLUMNS = {
    **dict.fromkeys(("JobIDRaw", "start", "run_time", "host", "gres", "indices", "OverSubscribe", "text"), pl.String()),
    "count": pl.Int64(),
    "line": pl.Int64(),
}


@dataclass(frozen=True, slots=True)
class Grant:
    """One granted resource on each of some hosts: `gpu:a100`, 4 devices, indices `0-3`."""

    hosts: tuple[str, ...]
    gres: str
    count: int
    indices: str


def parse_job_details(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:
    """Read one sample of `scontrol show job -d`, or the map that a prolog wrote (slurm_prolog_map.py).

    Output:  source columns of contracts.raw_bindings and `line`, one row per run, host and gres of jobs that have a
             grant; jobs without one (waiting, finished, no GPUs) count as `steps_ignored`. A sample speaks of the run
             from its start until a day after the sample, so one sample a day is enough. The EndTime of a running job
             is its limit, which Slurm enforces late: it says nothing of the grant.
    Raises:  UnreadableExtract for a text without `JobId=` records.
    """
    text = content.decode("utf-8", errors="replace")
    if is_prolog_map(text):
        return parse_prolog_map(text, schema=BINDING_COLUMNS)
    rows: list[dict[str, object]] = []
    quarantined: list[Quarantined] = []
    ignored = 0
    for line, body in _job_records(text, cluster):
        try:
            granted = list(_rows_of_job(line, body))
        except ValueError as reason:
            quarantined.append(Quarantined(line, str(reason), body[:EXCERPT_LENGTH], None))
            continue
        rows.extend(granted)
        ignored += not granted
    timed = with_instants(pl.DataFrame(rows, schema=_TEXT_COLUMNS), ("start",), zone=zone, what=f"job of {cluster}")
    no_start = pl.when(pl.col("start").is_null()).then(pl.lit("job with a grant but without a start"))
    good, faulty = split_faulty(timed.with_columns(fault=pl.coalesce("fault", no_start)), instant="start")
    quarantined += {fault.line: fault for fault in faulty}.values()
    frame = good.with_columns(overlaps_until=_speaks_until()).select(
        "JobIDRaw",
        pl.col("start").alias("Start"),
        "host",
        "gres",
        "count",
        pl.col("indices").alias("device_indices"),
        pl.lit(None, pl.String).alias("device_uuids"),
        "OverSubscribe",
        "line",
        pl.col("start").alias("overlaps_from"),
        "overlaps_until",
    )
    return ParsedExtract(frame, len(frame) + ignored + len(quarantined), ignored, tuple(quarantined))


def raw_bindings_of_day(observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """Per-host grants of the runs that touched a day, each as known when that day's facts last changed.

    Input:   frames of parse_job_details with `object` and `extracted_at`, concatenated.
    Output:  contracts.raw_bindings, sorted by key; UUIDs of a prolog map stand at the grant that they are of.
    """
    overlapping = observations.filter(pl.col("overlaps_from") < interval.end, pl.col("overlaps_until") > interval.start)
    is_mapped = pl.col("device_uuids").is_not_null()
    sampled, mapped = (
        fold_observations(overlapping.filter(kind), key=KEY, facts=FACTS, final=None)
        for kind in (~is_mapped, is_mapped)
    )
    return (
        with_prolog_maps(sampled, mapped)
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_BINDINGS.column_names)
        .sort(RAW_BINDINGS.key)
    )


def _job_records(text: str, cluster: str) -> list[tuple[int, str]]:
    """Line and text of each job."""
    records = list(split_records(text, key="JobId"))
    if not records and text.strip() not in ("", "No jobs in the system"):
        raise UnreadableExtract(f"not job details of cluster {cluster}: no `JobId=` in it; use `scontrol show job -d`")
    return records


def _rows_of_job(line: int, body: str) -> Iterator[dict[str, object]]:
    fields = {match["key"]: match["value"] for match in _FIELD.finditer(body)}
    job_id = _JOB_ID.match(body)
    if job_id is None or not job_id[1]:
        raise ValueError("job without an id")
    counts: Counter[tuple[str, str]] = Counter()
    indices: dict[tuple[str, str], list[str]] = {}
    for grant in _grants(body):
        for host in grant.hosts:
            counts[host, grant.gres] += grant.count
            indices.setdefault((host, grant.gres), []).append(grant.indices)
    for (host, gres), count in counts.items():
        yield {
            "JobIDRaw": job_id[1],
            "start": fields.get("StartTime", ""),
            "run_time": fields.get("RunTime"),
            "host": host,
            "gres": gres,
            "count": count,
            "indices": ",".join(filter(None, indices[host, gres])) or None,
            "OverSubscribe": fields.get("OverSubscribe"),
            "line": line,
            "text": body,
        }


def _grants(body: str) -> Iterator[Grant]:
    """Grants of every `Nodes=... GRES=...` line; each host of the line has as many as it says."""
    for on_hosts in _ON_HOSTS.finditer(body):
        for entry in _split_outside_parentheses(on_hosts["gres"]):
            match = _GRANT.match(entry)
            indices = match["indices"] if match else None
            count = int(match["count"]) if match and match["count"] else _count_of(indices)
            if match is None or count == 0:
                raise ValueError(f"granted resource {entry!r} is not readable as kind:type:count(IDX:...)")
            name = ":".join(filter(None, (match["kind"].lower(), (match["type"] or "").lower())))
            yield Grant(expand_hosts(on_hosts["hosts"]), name, count, indices or "")


def _split_outside_parentheses(text: str) -> list[str]:
    """`gpu:a100:2(IDX:0,2),shard:40(IDX:0(40/80))` at the commas that separate entries."""
    entries, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += letter
    return [entry for entry in entries if entry and entry != "(null)"]


def _count_of(indices: str | None) -> int:
    """How many indices `0-3,6` names: what old versions print instead of a count."""
    spans = [span.partition("-") for span in (indices or "").split(",") if span.replace("-", "").isdigit()]
    return sum(int(last or first) - int(first) + 1 for first, _, last in spans)


def _speaks_until() -> pl.Expr:
    """A day after the sample, which was taken at start + run time."""
    return pl.col("start") + pl.duration(seconds=seconds_of(pl.col("run_time")).fill_null(0) + SECONDS_OF_DAY)
