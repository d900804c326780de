"""A check run on a real lake as the gate runs it, and lakes made worse on purpose."""

from dataclasses import dataclass, replace

import polars as pl

from assets.materialisation import Day, month_called
from chargeback.billing_period import day_interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from checks.expectations import Verdict
from checks.gate import Reading, evaluate
from checks.registry import ALL_CHECKS
from resources.evidence import Evidence
from resources.lake_records import Provenance
from resources.posting_settings import Posting
from tests.estates import MONTH, Estate

DAY = Partition.of_day("slurm-a", "2026-03-31")
MARCH = Partition.of_month(MONTH)
BAD_WRITER = Provenance(run_id="a bad writer", code_version="bad", inputs={})


@dataclass(frozen=True)
class Judgement:
    """The verdict, what was found, and the evidence as it stands in the store."""

    verdict: Verdict
    findings: pl.DataFrame
    evidence: Evidence

    @property
    def is_pass(self) -> bool:
        """Whether verdict and evidence say that all is well."""
        assert self.evidence.passed == self.verdict.passed
        return self.verdict.passed and self.findings.is_empty()

    @property
    def is_failure(self) -> bool:
        """Whether verdict and evidence say no, for a reason that has words."""
        assert self.evidence.passed == self.verdict.passed
        assert self.evidence.metrics["findings"] == len(self.findings)
        return not self.verdict.passed and bool(self.verdict.broken) and bool(self.evidence.samples)

    @property
    def told(self) -> str:
        """All findings as text."""
        return "\n".join(" | ".join(row) for row in self.findings.iter_rows())


def judged(
    check_name: str,
    estate: Estate,
    partition: Partition | None = None,
    *,
    mode: str = "parallel",
    posting: Posting | None = None,
) -> Judgement:
    """Run a check on the last day, or on the month where its table has months."""
    (check,) = (check for check in ALL_CHECKS if check.name == check_name)
    workspace, settings = estate.workspace, replace(estate.settings, mode=mode, posting=posting or Posting())
    is_daily = check.contract.partitioned_by == ("cluster", "day")
    partition = partition or (DAY if is_daily else MARCH)
    reading = Reading(workspace.lake, workspace.landing, settings, partition)
    if is_daily:
        cluster, day = (value for _, value in partition.values)
        reading.day = Day(
            cluster, day, day_interval(day, settings.zone), partition, settings.cluster(cluster).scheduler
        )
    else:
        reading.month = month_called(MONTH, settings)
    verdict, outcome, key = evaluate(check, reading, workspace.evidence)
    evidence = workspace.evidence.read(key)
    assert (evidence.check, evidence.partition, evidence.read) == (check_name, partition.key, reading.contents)
    return Judgement(verdict, outcome.findings, evidence)


def rows_of(estate: Estate, contract: Contract) -> pl.DataFrame:
    """What stands in the last day, or in the month."""
    return estate.workspace.lake.scan(contract, [_partition_of(contract)]).frame.collect()


def put(estate: Estate, contract: Contract, rows: pl.DataFrame) -> None:
    """Make these rows the last day's, or the month's, past every rule but the contract."""
    estate.workspace.lake.replace(contract, _partition_of(contract), rows, BAD_WRITER)


def change_first(estate: Estate, contract: Contract, **columns: pl.Expr) -> None:
    """Change columns of the first row."""
    rows = rows_of(estate, contract).with_row_index("row")
    changed = {name: pl.when(pl.col("row") == 0).then(value).otherwise(pl.col(name)) for name, value in columns.items()}
    put(estate, contract, rows.with_columns(**changed).drop("row").cast(contract.schema))


def _partition_of(contract: Contract) -> Partition:
    return DAY if contract.partitioned_by == ("cluster", "day") else MARCH
