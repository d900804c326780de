"""`chargeback recovery` of a month and a fiscal year, what a new card is proposed, and how an extract is inspected."""

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from chargeback.contracts.partition import Partition
from chargeback.contracts.recovery import RECOVERY
from chargeback.ledger.general_ledger import read_general_ledger
from orchestration.accelerators_in_use import InUse
from orchestration.cli import app
from orchestration.rate_card_template import Beginning, card_text
from orchestration.recovery import latest_carry_forward
from resources.people_objects import faults_of
from resources.setting_kinds import SettingsRefused
from tests.chargeback.ledger.recovery_month import EUR, GPU, month_of_recovery
from tests.checks.judging import BAD_WRITER
from tests.estates import Estate

LEDGER = b"""\
posting_month,gl_account,component,accelerator,amount,currency
2026-04,620100,staff,h100-sxm5-80gb,561.00,EUR
2026-04,630500,software,,500.50,EUR
"""


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    """A lake in which two months of recovery stand, the second with a general ledger that spent 39.50 above plan."""
    estate = Estate.begun_in(tmp_path / "estate", people=False)
    april = month_of_recovery(ledger=read_general_ledger(LEDGER, object_key="gl.csv", currency=EUR))
    for month, rows in (("2026-03", month_of_recovery()), ("2026-04", april)):
        dated = rows.with_columns(month=pl.lit(month))
        estate.workspace.lake.replace(RECOVERY, Partition.of_month(month), dated, BAD_WRITER)
    return estate


def recovery(estate: Estate, *arguments: str) -> Result:
    given = ["recovery", *arguments, "--config", str(estate.config)]
    return CliRunner().invoke(app, given, env={"COLUMNS": "140"})


def test_a_month_is_shown_term_by_term_with_its_pool_and_the_cost_of_a_million_hours(estate: Estate) -> None:
    said = recovery(estate, "2026-03").output

    assert "pool, as planned: no general ledger" in said
    assert "1,022.00" in said
    assert "155.40" in said
    assert "one point of all available hours: 10.22 EUR in 2026-03" in said


def test_a_fiscal_year_adds_its_months_up_and_says_what_is_carried_forward(estate: Estate) -> None:
    report = json.loads(recovery(estate, "FY2026", "--format", "json").output)

    assert report["months"] == ["2026-03", "2026-04"]
    assert report["total"]["pool"] == "2083.50"
    assert report["accelerators"][0]["carry_forward"] == "39.50"
    assert sum(Decimal(term["amount"]) for term in report["terms"]) == Decimal("2083.50")
    assert {row["component"]: row["difference"] for row in report["components"]}["staff"] == "50.00"


def test_csv_has_a_row_per_month_and_accelerator(estate: Estate) -> None:
    rows = list(csv.DictReader(io.StringIO(recovery(estate, "FY2026", "--format", "csv").output)))

    assert [(row["month"], row["accelerator"], row["pool"]) for row in rows] == [
        ("2026-03", GPU, "1022.00"), ("2026-04", GPU, "1061.50")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("2026",), "neither a month nor a fiscal year"),
        (("2025-01",), "2025-01 has no recovery ledger yet: chargeback bill 2025-01"),
        (("2026-03", "--format", "xml"), "--format is 'xml'"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(estate: Estate, arguments: tuple[str, ...], said: str) -> None:
    refused = recovery(estate, *arguments).exception

    assert isinstance(refused, SettingsRefused)
    assert said in str(refused)


def test_a_new_card_is_proposed_the_carry_forward_of_the_newest_fiscal_year(estate: Estate) -> None:
    year, carried = latest_carry_forward(estate.workspace, "2027-02")
    beginning = Beginning("2027.1", "2027-03", "EUR", "", fiscal_year=year, carry_forward=carried)

    card = card_text(beginning, [GPU, "a100-sxm4-80gb"], InUse())

    assert (year, carried) == ("FY2026", {GPU: Decimal("39.50")})
    assert "carry_forward_per_year: 39.50    # proposed by the recovery ledger: chargeback recovery FY2026" in card
    assert "carry_forward_per_year: 0    # recovered too little before" in card
    assert latest_carry_forward(estate.workspace, "2029-01") == ("", {})


def test_an_extract_of_the_general_ledger_is_inspected_row_by_row(tmp_path: Path) -> None:
    file = tmp_path / "gl.csv"
    file.write_bytes(LEDGER + b"2026-04,630500,coffee,,1.00,EUR\n")

    said = json.loads(CliRunner().invoke(app, ["inspect", str(file), "--json"]).output)

    assert (said["source"], said["records"], said["holds"]) == ("finance-reference: general ledger", 3, 0)
    assert said["ignored"] == {"bills nothing by itself": 2}
    assert said["quarantined"][0]["line"] == 4
    assert said["quarantined"][0]["reason"].startswith("component 'coffee' is none of depreciation")


def test_an_extract_of_which_no_row_can_be_read_is_not_kept() -> None:
    broken = LEDGER.replace(b"2026-04", b"April")

    assert len(faults_of("finance-reference", broken, name="gl.csv")) == 2
    assert faults_of("finance-reference", LEDGER, name="gl.csv") == []
    assert faults_of("finance-reference", b"month,team,amount\n", name="march.csv") == []
