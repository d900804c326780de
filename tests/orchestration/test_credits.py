"""Credits through a whole bill: certified, published, journalled, and explained down to the record that says why."""

import csv
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.explain import explanation_of
from tests.estates import BUSY, MONTH, Estate, job, prepared, sacct

HLEDGER = shutil.which("hledger")
NODE_FAILED = job(2, "2026-03-30T20:00:00", "2026-03-31T04:00:00", account="nlp-lab", state="NODE_FAIL")


@pytest.fixture(scope="module")
def credited(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """Two days, the node failing under a job of eight hours, of which the policy forgives the last six."""

    def under_the_policy(folder: Path) -> None:
        estate = Estate.begun_in(folder)
        estate.config.write_text(f"{estate.config.read_text()}\n[policies]\ncredit_platform_fault_cap_hours = 6\n")
        estate.land("slurm/sacct", sacct(BUSY, NODE_FAILED))
        outcome = estate.bill()
        assert (outcome.refused, outcome.failures) == ((), ())

    return prepared(tmp_path_factory, "credited", under_the_policy)


def document_of(estate: Estate, kind: str, team: str = "") -> Path:
    """Where a published document lies."""
    rows = estate.workspace.lake.scan(PUBLISHED, [Partition.of_month(MONTH)]).frame.collect()
    key = rows.filter(pl.col("kind") == kind, pl.col("team") == team)["object"][0]
    return estate.folder / "lake" / str(key)


def test_the_last_hours_before_the_fault_are_forgiven_over_midnight(credited: Estate) -> None:
    lines = credited.workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect()

    assert sorted(lines.select("team", "kind", "quantity", "amount").rows()) == [
        ("NLP", "allocation", "28800", Decimal("19.08")),
        ("NLP", "credit-platform-fault", "-21600", Decimal("-14.31")),
        ("Vision", "allocation", "36000", Decimal("23.85")),
    ]


def test_what_was_let_out_says_so_and_balances(credited: Estate) -> None:
    page = document_of(credited, "statement page", "NLP").read_text()
    with document_of(credited, "journal").open(newline="") as file:
        contra = [row for row in csv.DictReader(file) if row["kind"] == "credit-platform-fault"]

    assert "job 2 on slurm-a: the platform failed under it" in page
    assert [(row["entry_key"], row["side"], row["account"], row["amount"]) for row in contra] == [
        ("gpu-cb:C1:2026-03:nlp:credit-platform-fault:r1", "credit", "Expenses:GPU", "14.31"),
        ("gpu-cb:C1:2026-03:nlp:credit-platform-fault:r1", "debit", "Expenses:GPU-Credits", "14.31"),
    ]


@pytest.mark.debian
@pytest.mark.skipif(HLEDGER is None, reason="hledger is not installed (Debian package hledger)")
def test_hledger_accepts_the_contra_entry(credited: Estate) -> None:
    ledger = str(document_of(credited, "ledger file"))

    checked = subprocess.run([HLEDGER or "", "-f", ledger, "check"], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stderr


def test_the_credit_is_explained_by_the_record_that_says_why(credited: Estate) -> None:
    lines = credited.workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect()
    (line_id,) = lines.filter(pl.col("amount") < 0)["line_id"]

    explanation = explanation_of(line_id, credited.workspace)
    done = credited.command("explain", line_id)

    assert explanation.agrees
    assert [record["state"] for record in explanation.records] == ["NODE_FAIL"]
    assert done.returncode == 0, done.stderr
    assert "credit, platform fault: the platform failed under it" in done.stdout
    assert "-1431/100 EUR exactly, rounded once to -14.31" in done.stdout
    assert "agrees with the line" in done.stdout


def test_a_second_bill_changes_nothing_and_names_the_credit(credited: Estate, tmp_path: Path) -> None:
    estate = credited.copied_to(tmp_path / "again")
    before = estate.tree()

    done = estate.command("bill", MONTH)

    assert done.returncode == 0, done.stderr
    assert "credits        platform fault -€14.31: in the amounts above, borne by the platform" in done.stdout
    assert estate.tree() == before
