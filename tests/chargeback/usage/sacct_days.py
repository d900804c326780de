"""Landed sacct extracts in memory, and the usage tables of a day from them: what the assets do, without a lake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import day_interval
from chargeback.contracts.contract import INSTANT, Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.runs import RUNS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.gpu_approvals import GpuCountApproval
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.slurm_holds import holds_of_day
from chargeback.usage.slurm_nodes import parse_nodes
from chargeback.usage.slurm_runs import runs_of_day

UTC_ZONE = ZoneInfo("UTC")
FIRST_EXTRACT = datetime(2026, 8, 2, tzinfo=UTC)


def keeps(contract: Contract, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame, which must keep its contract."""
    assert contract.breaches(frame) == []
    return frame


@dataclass(frozen=True)
class SacctDays:
    """Extracts in order of extraction; of one cluster, with its node listing, sampled grants and settings."""

    extracts: Sequence[bytes]
    cluster: str = "c1"
    zone: ZoneInfo | None = UTC_ZONE
    billing_zone: ZoneInfo = UTC_ZONE
    nodes: bytes = b""
    bindings: pl.DataFrame = field(default_factory=RAW_BINDINGS.empty)
    tiers: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    approvals: Sequence[GpuCountApproval] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def raw(self, day: str) -> pl.DataFrame:
        parsed = [_parsed(content, self.cluster, self.zone) for content in self.extracts]
        observations = pl.concat(
            extract.frame.with_columns(
                object=pl.lit(f"extract-{number}"),
                extracted_at=pl.lit(FIRST_EXTRACT + timedelta(days=number)).cast(INSTANT),
            )
            for number, extract in enumerate(parsed)
        )
        partitions = frozenset[str]().union(*(extract.gpu_partitions for extract in parsed))
        interval = day_interval(day, self.billing_zone)
        return keeps(
            RAW_SACCT,
            raw_sacct_of_day(observations, cluster=self.cluster, day=day, interval=interval, gpu_partitions=partitions),
        )

    def raw_nodes(self, day: str) -> pl.DataFrame:
        if not self.nodes:
            return RAW_NODES.empty()
        frame = parse_nodes(self.nodes, cluster=self.cluster).frame
        return frame.with_columns(
            cluster=pl.lit(self.cluster),
            day=pl.lit(day),
            object=pl.lit("nodes"),
            extracted_at=pl.lit(FIRST_EXTRACT).cast(INSTANT),
        ).select(RAW_NODES.column_names)

    def runs(self, day: str) -> pl.DataFrame:
        runs = runs_of_day(
            self.raw(day),
            self.raw_nodes(day),
            self.bindings,
            cluster=self.cluster,
            day=day,
            interval=day_interval(day, self.billing_zone),
            tiers=self.tiers,
            classes=self.classes,
            approvals=self.approvals,
        )
        return keeps(RUNS, runs)

    def holds(self, day: str) -> pl.DataFrame:
        holds = holds_of_day(
            self.runs(day),
            self.raw_nodes(day),
            self.bindings,
            cluster=self.cluster,
            day=day,
            interval=day_interval(day, self.billing_zone),
            aliases=self.aliases,
        )
        return keeps(HOLDS, holds)

    def gpu_seconds(self, *days: str) -> Fraction:
        return sum((gpu_seconds_of(self.holds(day)) for day in days), Fraction(0))


@lru_cache(maxsize=64)
def _parsed(content: bytes, cluster: str, zone: ZoneInfo | None) -> ParsedExtract:
    return parse_sacct_text(content, cluster=cluster, zone=zone)


def gpu_seconds_of(holds: pl.DataFrame) -> Fraction:
    """Physical GPU-seconds, row by row, in the obvious way."""
    return sum(
        (
            Fraction(
                row["device_count"] * int((row["held_until"] - row["held_from"]).total_seconds()) * row["share_units"],
                row["units_per_gpu"],
            )
            for row in holds.iter_rows(named=True)
        ),
        Fraction(0),
    )


def psv(*rows: str, header: str) -> bytes:
    """sacct text from a header and rows, columns by blanks: `-` is an empty value."""
    lines = [header, *rows]
    return "\n".join("|".join("" if cell == "-" else cell for cell in line.split()) for line in lines).encode() + b"\n"
