"""What job records of Slurm would bill: the lake's own folds, runs and holds, over the file's whole time at once.

Not here: which file is one of them (extract_kinds.py).
"""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.runs import RUNS
from chargeback.usage import extract_kinds
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.inspected_runs import inspection_of
from chargeback.usage.inspection import (
    ALL_TIME,
    HOLDING,
    NEVER_STARTED,
    NO_GPUS,
    NO_TIME,
    PLACE,
    UNKNOWN,
    Inspection,
)
from chargeback.usage.sacct_json import is_json, parse_sacct_json
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.slurm_holds import holds_of_day
from chargeback.usage.slurm_runs import runs_of_day

STEP = "job step: repeats its job's allocation"
REPEATED = "another record of the same run counts"


def parse_sacct(content: bytes, *, cluster: str, zone: ZoneInfo | None, fields: Sequence[str] | None) -> ParsedExtract:
    """Read job records of either form. Raises UnreadableExtract."""
    if fields is None and is_json(content):
        return parse_sacct_json(content, cluster=cluster, zone=zone)
    return parse_sacct_text(content, cluster=cluster, zone=zone, fields=fields)


def inspect_sacct(
    parsed: ParsedExtract, name: str, inventory: pl.DataFrame, billing_zone: ZoneInfo, aliases: Mapping[str, str]
) -> Inspection:
    """Say what became of every record. `inventory`: contracts.raw_nodes, for GPU hosts and shards per GPU."""
    runs, holds = _runs_and_holds(parsed, inventory, aliases)
    ignored = {STEP: parsed.steps_ignored, REPEATED: len(parsed.frame) - len(runs)}
    ignored |= {way: len(runs.filter(pl.col("way") == way)) for way in (NEVER_STARTED, NO_TIME, NO_GPUS)}
    return inspection_of(
        parsed, runs, holds, name=name, source=extract_kinds.SACCT, ignored=ignored, billing_zone=billing_zone
    )


def _runs_and_holds(
    parsed: ParsedExtract, inventory: pl.DataFrame, aliases: Mapping[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Runs of every cluster with `seconds` and the `way` that each record went; holds with their account."""
    all_runs, all_holds = [RUNS.empty()], [HOLDS.empty()]
    bindings = RAW_BINDINGS.empty()
    for (cluster,), frame in parsed.frame.with_columns(**PLACE).partition_by("cluster", as_dict=True).items():
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
