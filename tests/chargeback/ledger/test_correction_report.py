"""Each correction says how far it is and who must act; what is to be signed is named only while somebody must sign."""

from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.ledger.correction_policy import CorrectionPolicy, approvable_corrections, under_policy
from chargeback.ledger.correction_report import correction_report, render_report_csv
from chargeback.ledger.corrections import correction_lines
from tests.chargeback.ledger.correction_months import EUR, basis, line, lines

MONTH = "2026-03"
POLICY = CorrectionPolicy(threshold=Decimal("1.00"))
SIGNED = "approved by Bo Chen (controller, key 01) at 2026-04-02T00:00:00Z"

ROWS = under_policy(
    pl.concat(
        correction_lines(
            lines(line(corrected, team, seconds)), CORRECTIONS.empty(), lines(), month=MONTH, stood=basis(), now=basis()
        )
        for corrected, team, seconds in (
            ("2025-11", "Vision", 3600),  # 2.385, older than ninety days and of another year
            ("2026-02", "Vision", 7200),
            ("2026-02", "NLP", 600),  # 0.40, below the threshold
        )
    ),
    POLICY,
)


def reported(rows: pl.DataFrame = ROWS, *, is_closed: bool = False, approval_now: str = "") -> dict[str, Any]:
    """The report of March."""
    return correction_report(
        rows, month=MONTH, is_closed=is_closed, approval_now=approval_now, policy=POLICY, currency=EUR
    )


def approved(rows: pl.DataFrame) -> pl.DataFrame:
    """What needs the controller bears his signature."""
    return rows.with_columns(approval=pl.when("needs_approval").then(pl.lit(SIGNED)).otherwise("approval"))


def told(report: dict[str, Any]) -> list[tuple[str, int, str, str]]:
    """State, lines, amount, who acts."""
    return [(each["state"], each["lines"], each["amount"], each["acts"]) for each in report["states"]]


def test_an_open_month_says_what_is_blocked_what_is_proposed_and_what_accumulates() -> None:
    report = reported()

    assert told(report) == [
        ("blocked", 1, "-2.38", "controller: signs what chargeback corrections 2026-03 --draft FILE writes"),
        ("proposed", 1, "-4.77", "nobody: booked once 2026-03 is closed"),
        ("accumulated", 1, "-0.40", "nobody: below 1.00 EUR, waits for more"),
    ]
    assert report["to_be_signed"] == approvable_corrections(ROWS, month=MONTH).content_sha256


def test_a_signature_that_landed_after_the_bill_asks_for_another_bill() -> None:
    assert told(reported(approval_now=SIGNED))[0][3] == f"platform: {SIGNED}, since: chargeback bill 2026-03"


def test_what_the_controller_signed_is_proposed_and_nothing_is_left_to_sign() -> None:
    report = reported(approved(ROWS))

    assert told(report)[0] == ("proposed", 1, "-2.38", f"nobody, {SIGNED}: booked once 2026-03 is closed")
    assert report["to_be_signed"] == ""


def test_in_a_closed_month_they_are_booked_but_for_what_accumulates() -> None:
    report = reported(approved(ROWS), is_closed=True)

    assert [(each["state"], each["lines"]) for each in report["states"]] == [
        ("accumulated", 1), ("booked", 1), ("booked", 1),
    ]  # fmt: skip


def test_the_rows_add_up_to_the_table_and_its_csv_has_them_all() -> None:
    report = reported()

    assert sum(Decimal(each["amount"]) for each in report["states"]) == ROWS["amount"].sum()
    header, *cells = render_report_csv(report).decode().splitlines()
    assert header.startswith("month,state,corrects_month,team,line_id")
    assert len(cells) == len(ROWS)
    assert cells[0].startswith("2026-03,blocked,2025-11,Vision,GPU-2025-11-")
    assert ",-2.38,EUR," in cells[0]


def test_a_month_that_corrects_nothing_has_no_states() -> None:
    assert (reported(CORRECTIONS.empty())["states"], reported(CORRECTIONS.empty())["to_be_signed"]) == ([], "")
