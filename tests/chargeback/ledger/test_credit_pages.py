"""What pages and the CSV say of credits: what was forgiven, why, of which run, and that it adds up."""

import csv
import io
import json
from decimal import Decimal

import polars as pl
import pytest

from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.month_change import month_change
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from tests.chargeback.ledger.test_statement_page import Outline
from tests.chargeback.ledger.worked_statements import document_of, forgiven_statements, worked_statements
from tests.chargeback.worked_month import EUR, worked_lines


@pytest.fixture(scope="module")
def statements() -> pl.DataFrame:
    """The worked month with its credits."""
    return forgiven_statements()


def test_a_statement_says_what_was_forgiven_why_and_of_which_run(statements: pl.DataFrame) -> None:
    text = Outline(render_page(document_of(statements, "Vision"))).text

    for said in (
        "134.99 EUR", "What was forgiven, and why", "job104 job 104 on slurm-a: the platform failed under it",
        "A100 SXM4 80 GB · standard · slurm-a · credit, platform fault", "−96.00", "−105.60",
        "Charges 152.60 240.59", "Credits, borne by the platform −105.60", "Total 134.99",
        "−345,600 GPU-seconds of 1 run × 1.10 EUR ÷ 3600 = −105.60, rounded once, half to even: −105.60 EUR",
    ):  # fmt: skip
        assert said in text, said


def test_hours_stay_what_they_were_where_their_charge_is_forgiven(statements: pl.DataFrame) -> None:
    forgiven = json.loads(document_of(statements, "Vision"))
    charged = json.loads(document_of(worked_statements(), "Vision"))

    for part in ("held", "utilisation", "days", "line_hours"):
        shown, expected = forgiven[part], charged[part]
        if part == "held":
            shown, expected = shown["states"], expected["states"]
        assert shown == expected, part


def test_the_unrounded_appendix_adds_up_to_charges_less_credits(statements: pl.DataFrame) -> None:
    document = json.loads(document_of(statements, "Robotics"))

    # Job 112: 22.00 for twenty GPU-hours, eight of them suspended and forgiven.
    (job,) = (row for row in document["jobs"]["rows"] if row["job_id"] == "112")
    assert (job["hours"], job["exact_cost"]) == ("20.00", "66/5")
    assert document["credits"]["kinds"][0]["amount"] == "-8.80"
    assert document["total"] == "43.18"


def test_a_statement_without_credits_says_nothing_of_them() -> None:
    text = Outline(render_page(document_of(worked_statements(), "Vision"))).text

    assert "forgiven" not in text
    assert "Credits" not in text


def test_the_estate_says_what_each_kind_cost_the_platform_and_ties_to_the_statements(statements: pl.DataFrame) -> None:
    text = Outline(render_summary(list(statements["document"]), month="2026-03")).text

    for said in (
        "credit, platform fault the platform failed under it 1 1 −105.60",
        "credit, suspended it was suspended and kept its GPUs 1 1 −8.80", "Borne by the platform −114.40",
        "Charges 1,490.92 EUR and credits −114.40 EUR make the total", "1,376.52",
    ):  # fmt: skip
        assert said in text, said


def test_a_credit_stands_in_the_csv_as_numbers_below_zero_that_multiply(statements: pl.DataFrame) -> None:
    rows = list(csv.DictReader(io.StringIO(render_lines_csv(document_of(statements, "Vision")).decode())))

    (credit,) = (row for row in rows if row["kind"] == "credit-platform-fault")

    assert (credit["hours"], credit["quantity"], credit["amount"]) == ("-96.00", "-345600", "-105.60")
    assert Decimal(credit["quantity"]) * Decimal(credit["price_per_hour"]) / 3600 == Decimal(credit["amount"])


def test_the_change_against_last_month_tells_credits_from_hours_and_rate(statements: pl.DataFrame) -> None:
    before = worked_lines().filter(pl.col("team") == "Vision")
    credit = before.filter(pl.col("accelerator") == "a100-sxm4-80gb").with_columns(
        kind=pl.lit("credit-platform-fault"), quantity=pl.lit("-345600"), amount=-pl.col("amount")
    )

    change = month_change(pl.concat([before, credit.select(before.columns)]), before, currency=EUR)

    assert (change.difference, change.credits_effect) == (Decimal("-105.60"), Decimal("-105.60"))
    assert (change.hours_effect, change.rate_effect) == (Decimal(0), Decimal(0))
