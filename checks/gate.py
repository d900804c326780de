"""The gate: one way in which every check reads, finds, is judged by Great Expectations, and leaves evidence.

A check computes findings and metrics with polars over the whole partition; Great Expectations judges the metrics
against their limits; the outcome is recorded as evidence for exactly the contents that were read (design.md 6).
Not here: what is checked (one file a table), and who may publish (assets/certificate.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import dagster as dg
import polars as pl
from deltalake.exceptions import DeltaError
from polars.exceptions import PolarsError

from assets.materialisation import Day, Month, day_of, month_of
from assets.refusal import in_words
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from checks.expectations import Verdict, judge
from resources.code_version import suite_version
from resources.evidence import Evidence, EvidenceStore
from resources.lake import Lake
from resources.lake_records import Scanned
from resources.landing import Landing
from resources.settings import Settings
from resources.store_failures import store_failures_named

SAMPLE_ROWS = 20

FINDING_SCHEMA = {"key": pl.String(), "expected": pl.String(), "observed": pl.String()}

OWNER_OF_STAGE = {
    "raw": "data platform team",
    "usage": "data platform team",
    "attribution": "data platform team",
    "pricing": "finance",
    "ledger": "finance",
}
OWNER_OF_CHECK = {
    "corrections_approved": "controller",
    "general_ledger_read": "finance",
    "month_complete": "data platform team",
    "published_intact": "data platform team",
    "rated_usage_conserves_attribution": "data platform team",
}
"""Checks on which others than the table's own people must act."""

Stops = Literal["run", "certificate", "nothing"]


@dataclass(slots=True)
class Reading:
    """What a check may look at. Every content that it reads is remembered, as its evidence is bound to it."""

    lake: Lake
    landing: Landing
    settings: Settings
    partition: Partition
    day: Day | None = None
    month: Month | None = None
    contents: dict[str, str] = field(default_factory=dict)

    def table(self, contract: Contract) -> pl.LazyFrame:
        """A table as far as this partition reaches: its own partition, or all days of the month for a daily table."""
        return self.scan(contract).frame

    def scan(self, contract: Contract) -> Scanned:
        """The same with its contents and what was never written.

        A table that the cluster's scheduler does not have is empty here, whatever somebody materialised: the
        certificate does not rest on it, so evidence must not either.
        """
        partitions: tuple[Partition, ...] = (self.partition,)
        if self.month is not None and contract.partitioned_by == ("cluster", "day"):
            partitions = self.month.days_of(contract)
        elif self.day is not None and self.day.scheduler not in contract.schedulers:
            return Scanned(contract.empty().lazy(), {}, (), None)
        scanned = self.lake.scan(contract, partitions)
        self.contents.update(scanned.contents)
        return scanned


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found: rows of key, expected and observed, and figures worth keeping."""

    findings: pl.DataFrame
    metrics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold of a table's partition.

    `stops` says what a failure stops: the run that made the content, the certificate only (previews go on), or nothing.
    `tolerated` is how many findings the policies let pass; none unless they say so.
    """

    name: str
    contract: Contract
    holds: str
    find: Callable[[Reading], Outcome]
    stops: Stops
    tolerated: Callable[[Settings], int] = lambda _settings: 0

    @property
    def owner(self) -> str:
        """Who must act on what it finds."""
        return OWNER_OF_CHECK.get(self.name) or OWNER_OF_STAGE[self.contract.stage]


def findings_of(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    """Findings from (key, expected, observed)."""
    return pl.DataFrame(rows, schema=FINDING_SCHEMA, orient="row")


def evaluate(check: Check, reading: Reading, evidence: EvidenceStore) -> tuple[Verdict, Outcome, str]:
    """Find, judge, and record evidence. Returns the verdict, the outcome and the key of the evidence.

    Raises  StoreFailure, in none of the store's words, where rows cannot be read: a store that fails proves nothing.
    """
    with store_failures_named(reading.lake.location.told(), DeltaError, PolarsError):
        outcome = check.find(reading)
    metrics = {"findings": len(outcome.findings), **outcome.metrics}
    verdict = judge(check.name, metrics, {"findings": (0, check.tolerated(reading.settings))})
    key = evidence.record(
        Evidence(
            table=check.contract.table,
            partition=reading.partition.key,
            check=check.name,
            passed=verdict.passed,
            blocking=check.stops != "nothing",
            suite_version=suite_version(check.name, reading.settings.judged_under(check.name)),
            read=dict(reading.contents),
            metrics=metrics,
            samples=outcome.findings.head(SAMPLE_ROWS).to_dicts(),
        )
    )
    return verdict, outcome, key


def asset_check(check: Check, partitions: dg.PartitionsDefinition[str]) -> dg.AssetChecksDefinition:
    """The check as Dagster runs it, on the partitions of its table."""
    is_daily = check.contract.partitioned_by == ("cluster", "day")

    @dg.asset_check(
        asset=check.contract.table,
        name=check.name,
        description=check.holds,
        blocking=check.stops == "run",
        partitions_def=partitions,
    )
    def evaluated(
        context: dg.AssetCheckExecutionContext,
        lake: dg.ResourceParam[Lake],
        landing: dg.ResourceParam[Landing],
        evidence: dg.ResourceParam[EvidenceStore],
        settings: dg.ResourceParam[Settings],
    ) -> dg.AssetCheckResult:
        reading = Reading(lake, landing, settings, Partition.from_key(context.partition_key))
        if is_daily:
            reading.day = day_of(context, settings)
        else:
            reading.month = month_of(context, settings)
        verdict, outcome, key = evaluate(check, reading, evidence)
        return dg.AssetCheckResult(
            passed=verdict.passed,
            severity=dg.AssetCheckSeverity.WARN if check.stops == "nothing" else dg.AssetCheckSeverity.ERROR,
            description=_described(check, verdict, outcome),
            metadata={
                "findings": len(outcome.findings),
                **{name.replace("_", " "): value for name, value in outcome.metrics.items()},
                "sample": dg.MetadataValue.md(sample_table(outcome.findings)),
                "evidence": key,
            },
        )

    return evaluated


def _described(check: Check, verdict: Verdict, outcome: Outcome) -> str:
    if verdict.passed:
        return check.holds
    first = in_words(outcome.findings.head(1).to_dicts(), len(outcome.findings))
    return "; ".join((*verdict.broken, first) if first else verdict.broken)


def sample_table(findings: pl.DataFrame) -> str:
    """The first findings as a Markdown table."""
    if findings.is_empty():
        return "nothing found"
    rows = [f"| {r['key']} | {r['expected']} | {r['observed']} |" for r in findings.head(SAMPLE_ROWS).to_dicts()]
    return "\n".join(["| key | expected | observed |", "|---|---|---|", *rows])
