"""A check of a Kubernetes table run as the gate runs it, on rows that a test writes into a new lake."""

from pathlib import Path

import polars as pl

from assets.materialisation import Day
from chargeback.billing_period import day_interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from checks.gate import Reading, evaluate
from checks.registry import ALL_CHECKS
from tests.checks.judging import BAD_WRITER, Judgement
from tests.estates import Estate

CLUSTER, DAY = "k8s-b", "2026-07-08"
PARTITION = Partition.of_day(CLUSTER, DAY)


def judged_rows(check_name: str, folder: Path, tables: dict[Contract, pl.DataFrame]) -> Judgement:
    """Write the rows of one day into a lake in the folder and run the check on them."""
    estate = Estate.begun_in(folder / "estate", people=False)
    workspace, settings = estate.workspace, estate.settings
    for contract, rows in tables.items():
        day_of_rows = {name: pl.lit(value) for name, value in (("cluster", CLUSTER), ("day", DAY))}
        workspace.lake.replace(contract, PARTITION, rows.with_columns(**day_of_rows), BAD_WRITER)
    (check,) = (check for check in ALL_CHECKS if check.name == check_name)
    reading = Reading(workspace.lake, workspace.landing, settings, PARTITION)
    reading.day = Day(CLUSTER, DAY, day_interval(DAY, settings.zone), PARTITION, "kubernetes")
    verdict, outcome, key = evaluate(check, reading, workspace.evidence)
    return Judgement(verdict, outcome.findings, workspace.evidence.read(key))
