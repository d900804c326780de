"""The recovery ledger as people read it: the estate page, CSV, and what is said where a figure is not known."""

import csv
import io
from decimal import Decimal
from fractions import Fraction

from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.recovery_chart import chart_of_recovery
from chargeback.ledger.recovery_report import proposed_carry_forward, recovery_report, render_recovery_csv
from tests.chargeback.ledger.recovery_month import EUR, GPU, PLANNED, month_of_recovery
from tests.chargeback.ledger.worked_statements import worked_statements

TAX = Fraction(4, 100)


def test_the_terms_add_up_to_the_pool_as_they_are_shown() -> None:
    report = recovery_report(month_of_recovery(), name="2026-03", currency=EUR, tax=TAX)

    assert [(term["term"], term["amount"]) for term in report["terms"]] == [
        ("recovered", "760.00"), ("planned_idle", "66.60"), ("volume_variance", "155.40"),
        ("spending_variance", "0.00"), ("discounts", "30.00"), ("credits", "10.00"), ("rounding", "0.00"),
    ]  # fmt: skip
    assert sum(Decimal(term["amount"]) for term in report["terms"]) == Decimal(report["total"]["pool"])


def test_a_million_hours_of_work_are_priced_of_what_was_measured_and_the_coverage_stands_beside_it() -> None:
    work = recovery_report(month_of_recovery(), name="2026-03", currency=EUR, tax=TAX)["work"]

    # 1,022 / 1,466 an hour, 800.005 of 1,466 held, 200 of 400.0025 seen active: 0.6971 / (0.5457 x 0.5) / 0.96.
    assert work["per_available_hour"] == "0.6971"
    assert (work["allocation_per_cent"], work["active_per_cent"], work["coverage_per_cent"]) == ("54.6", "50.0", "50.0")
    assert work["per_million"] == "2661458"
    assert work["capacity_point"] == "10.22"


def test_without_a_build_up_no_cost_is_claimed_and_the_page_says_why() -> None:
    report = recovery_report(month_of_recovery(planned=PLANNED.clear()), name="2026-03", currency=EUR, tax=TAX)

    assert not report["has_pool"]
    assert report["unplanned"][0]["recovered"] == "760.00"
    assert report["work"]["why_unknown"].startswith("the card has no build-up")
    assert chart_of_recovery(report) == ""
    assert b"states no build-up" in render_summary(
        list(worked_statements()["document"]), month="2026-03", recovery=report
    )


def test_capacity_that_nobody_held_is_a_memo_at_cost_on_the_page_and_in_no_total() -> None:
    report = recovery_report(month_of_recovery(), name="2026-03", currency=EUR, tax=TAX)
    unknown = recovery_report(month_of_recovery(planned=PLANNED.clear()), name="2026-03", currency=EUR, tax=TAX)

    page = render_summary(list(worked_statements()["document"]), month="2026-03", recovery=report).decode()

    assert [(row["state"], row["hours"], row["cost"]) for row in report["memo"]] == [
        ("unallocated", "600.00", "418.28"), ("blocked", "7.00", "4.88"),
    ]  # fmt: skip
    assert [row["cost"] for row in unknown["memo"]] == ["", ""]
    assert "Memo: capacity that nobody held, at cost" in page
    assert "418.28" not in page.split("Memo: capacity")[0]


def test_the_estate_page_shows_the_pool_as_table_and_picture_and_asks_nobody_for_anything() -> None:
    report = recovery_report(month_of_recovery(), name="2026-03", currency=EUR, tax=TAX)

    page = render_summary(list(worked_statements()["document"]), month="2026-03", recovery=report).decode()

    assert "Where the cost pool went" in page
    assert "<svg" in page.split("Where the cost pool went")[1]
    assert "1,022.00" in page
    assert "2,661,458" in page
    assert "https://" not in page.replace("http://www.w3.org", "")
    assert render_summary(list(worked_statements()["document"]), month="2026-03", recovery=report).decode() == page


def test_the_csv_has_plain_numbers_and_leaves_a_figure_empty_that_is_not_known() -> None:
    planned, unplanned = month_of_recovery(), month_of_recovery(planned=PLANNED.clear())

    first, second = (
        next(csv.DictReader(io.StringIO(render_recovery_csv(rows).decode()))) for rows in (planned, unplanned)
    )

    assert (first["pool"], first["volume_variance"], first["credits"]) == ("1022.00", "155.40", "10.00")
    assert (second["pool"], second["recovered"], second["rounding"]) == ("", "760.00", "")


def test_a_card_is_proposed_what_its_accelerator_has_to_carry_forward() -> None:
    assert proposed_carry_forward(month_of_recovery()) == {GPU: Decimal("0.00")}
    assert proposed_carry_forward(month_of_recovery(planned=PLANNED.clear())) == {}
