"""What a file is, what it would bill and what is wrong with it, before anything is set up.

Pure: bytes in, figures out. The same parsers, folds, runs and holds as in the lake, over the file's whole time at once.
Not here: how it is shown on a terminal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.runs import RUNS
from chargeback.usage import extract_kinds
from chargeback.usage.extract import ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.held_sums import sums_by, sums_by_month, total_of
from chargeback.usage.sacct_json import is_json, parse_sacct_json
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.slurm_events import parse_events
from chargeback.usage.slurm_holds import holds_of_day
from chargeback.usage.slurm_job_details import parse_job_details
from chargeback.usage.slurm_nodes import parse_nodes
from chargeback.usage.slurm_reservations import parse_reservations
from chargeback.usage.slurm_runs import runs_of_day

ALL_TIME = Interval(datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
UNKNOWN = "unknown"
HOLDING = "holding"

STEP = "job step: repeats its job's allocation"
REPEATED = "another record of the same run counts"
NEVER_STARTED = "never started"
NO_TIME = "held for no time"
NO_GPUS = "no GPUs"
BILLS_NOTHING = "bills nothing by itself"

_PLACE = {"object": pl.lit(""), "extracted_at": pl.lit(ALL_TIME.start).cast(INSTANT)}

_OTHER_PARSERS: Mapping[str, Callable[..., ParsedExtract]] = {
    extract_kinds.NODES: parse_nodes,
    extract_kinds.EVENTS: parse_events,
    extract_kinds.RESERVATIONS: parse_reservations,
    extract_kinds.BINDINGS: parse_job_details,
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """The answer. records = ignored + quarantined + unknown_gpu_count + holds, always. Sums are physical GPU-seconds.

    `unknown_gpu_count` and `running` are (job id, seconds); `problem` is one line where the file cannot be read.
    """

    name: str
    source: str
    records: int
    ignored: Mapping[str, int]
    quarantined: tuple[Quarantined, ...] = ()
    unknown_gpu_count: tuple[tuple[str, int], ...] = ()
    running: tuple[tuple[str, int], ...] = ()
    holds: int = 0
    gpu_seconds: Fraction = Fraction(0)
    by_accelerator: Mapping[str, Fraction] = field(default_factory=dict)
    by_account: Mapping[str, Fraction] = field(default_factory=dict)
    by_cluster: Mapping[str, Fraction] = field(default_factory=dict)
    by_month: Mapping[str, Fraction] = field(default_factory=dict)
    problem: str | None = None

    def as_json(self) -> dict[str, object]:
        """The interface that scripts rely on; quantities as reduced exact strings: 793454, 5401/2."""
        exact = {name: getattr(self, name) for name in ("by_accelerator", "by_account", "by_cluster", "by_month")}
        return {
            "source": self.source,
            "records": self.records,
            "ignored": dict(self.ignored),
            "quarantined": [{"line": record.line, "reason": record.reason} for record in self.quarantined],
            "unknown_gpu_count": [{"id": name, "seconds": seconds} for name, seconds in self.unknown_gpu_count],
            "running": [{"id": name, "seconds": seconds} for name, seconds in self.running],
            "holds": self.holds,
            "gpu_seconds": str(self.gpu_seconds),
            **{name: {key: str(value) for key, value in sums.items()} for name, sums in exact.items()},
            "problem": self.problem,
        }


def inspect_extract(
    content: bytes,
    *,
    name: str,
    cluster: str,
    zone: ZoneInfo | None,
    billing_zone: ZoneInfo,
    fields: Sequence[str] | None = None,
    nodes: bytes | None = None,
    aliases: Mapping[str, str] | None = None,
) -> Inspection:
    """Say what a file is and what it would bill.

    `cluster` "" reads every cluster of the file. `zone` is for times without an offset, `fields` for an unknown layout
    without a header, `nodes` a node listing (GPU hosts, shards per GPU), `aliases` gres types to accelerators.
    Raises: UnreadableExtract for a node listing that is none; a file that is unreadable is an answer (`problem`).
    """
    kind = extract_kinds.SACCT if fields is not None else extract_kinds.kind_of(content)
    inventory = RAW_NODES.empty() if nodes is None else _inventory(nodes, cluster)
    try:
        if kind == extract_kinds.SACCT:
            parsed = _parse_sacct(content, cluster=cluster, zone=zone, fields=fields)
            return _inspect_sacct(parsed, name, inventory, billing_zone, aliases or {})
        if kind in _OTHER_PARSERS:
            return _inspect_other(_OTHER_PARSERS[kind](content, cluster=cluster, zone=zone), name, kind)
    except UnreadableExtract as problem:
        return _not_read(content, name, str(problem))
    return _not_read(content, name, None)


def _parse_sacct(content: bytes, *, cluster: str, zone: ZoneInfo | None, fields: Sequence[str] | None) -> ParsedExtract:
    if fields is None and is_json(content):
        return parse_sacct_json(content, cluster=cluster, zone=zone)
    return parse_sacct_text(content, cluster=cluster, zone=zone, fields=fields)


def _inventory(nodes: bytes, cluster: str) -> pl.DataFrame:
    frame = parse_nodes(nodes, cluster=cluster).frame
    return frame.with_columns(cluster=pl.lit(cluster), day=pl.lit(""), **_PLACE).select(RAW_NODES.column_names)


def _inspect_sacct(
    parsed: ParsedExtract, name: str, inventory: pl.DataFrame, billing_zone: ZoneInfo, aliases: Mapping[str, str]
) -> Inspection:
    runs, holds = _runs_and_holds(parsed, inventory, aliases)
    ignored = {STEP: parsed.steps_ignored, REPEATED: len(parsed.frame) - len(runs)}
    ignored |= {way: len(runs.filter(pl.col("way") == way)) for way in (NEVER_STARTED, NO_TIME, NO_GPUS)}
    unknown, held = runs.filter(pl.col("way") == UNKNOWN), runs.filter(pl.col("way") == HOLDING)
    return Inspection(
        name=name,
        source=extract_kinds.SACCT,
        records=parsed.records,
        ignored={way: count for way, count in ignored.items() if count},
        quarantined=parsed.quarantined,
        unknown_gpu_count=tuple(unknown.select("job_id", "seconds").rows()),
        running=tuple(held.filter("is_running").select("job_id", "seconds").rows()),
        holds=len(held),
        gpu_seconds=total_of(holds),
        by_accelerator=sums_by(holds, "accelerator"),
        by_account=sums_by(holds, "account"),
        by_cluster=sums_by(holds, "cluster"),
        by_month=sums_by_month(holds, billing_zone),
    )


def _runs_and_holds(
    parsed: ParsedExtract, inventory: pl.DataFrame, aliases: Mapping[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Runs of every cluster with `seconds` and the `way` that each record went; holds with their account."""
    all_runs, all_holds = [RUNS.empty()], [HOLDS.empty()]
    bindings = RAW_BINDINGS.empty()
    for (cluster,), frame in parsed.frame.with_columns(**_PLACE).partition_by("cluster", as_dict=True).items():
        raw = raw_sacct_of_day(frame, cluster=cluster, day="", interval=ALL_TIME, gpu_partitions=parsed.gpu_partitions)
        runs = runs_of_day(raw, inventory, bindings, cluster=cluster, day="", interval=ALL_TIME, tiers={}, approvals=())
        all_runs.append(runs)
        all_holds.append(
            holds_of_day(runs, inventory, bindings, cluster=cluster, day="", interval=ALL_TIME, aliases=aliases)
        )
    runs = pl.concat(all_runs).with_columns(way=_way(), seconds=_held_seconds()).sort("cluster", "run")
    accounts = runs.select("cluster", "run", "account")
    return runs, pl.concat(all_holds).join(accounts, on=["cluster", "run"], how="left", validate="m:1")


def _held_seconds() -> pl.Expr:
    return (pl.col("observed_until") - pl.col("started")).dt.total_seconds()


def _way() -> pl.Expr:
    return (
        pl.when(pl.col("started").is_null())
        .then(pl.lit(NEVER_STARTED))
        .when(_held_seconds() == 0)
        .then(pl.lit(NO_TIME))
        .when(pl.col("gpu_count").is_null())
        .then(pl.lit(UNKNOWN))
        .when(pl.col("gpu_count") == 0)
        .then(pl.lit(NO_GPUS))
        .otherwise(pl.lit(HOLDING))
    )


def _not_read(content: bytes, name: str, problem: str | None) -> Inspection:
    records = extract_kinds.count_records(content)
    ignored = {extract_kinds.NOT_READ: records} if records else {}
    return Inspection(name, extract_kinds.NOT_READ, records, ignored, problem=problem)


def _inspect_other(parsed: ParsedExtract, name: str, kind: str) -> Inspection:
    """A node listing, events, ...: read, but nothing is held by it."""
    silent = parsed.records - len(parsed.quarantined)
    return Inspection(name, kind, parsed.records, {BILLS_NOTHING: silent} if silent else {}, parsed.quarantined)
