"""Actual cost from an extract of the general ledger: what is read, what is quarantined, what is shared."""

from decimal import Decimal
from fractions import Fraction

import pytest

from chargeback.ledger.general_ledger import GeneralLedger, actual_costs, read_general_ledger
from chargeback.ledger.recovery import ledger_of_month, plans_of
from chargeback.ledger.recovery_findings import ledger_findings
from chargeback.usage.people_kinds import FINANCE_REFERENCE, is_general_ledger, people_kind_of
from tests.chargeback.ledger.recovery_month import EUR, PLANNED

HEADER = b"posting_month,gl_account,component,accelerator,amount,currency\n"


def read(rows: str) -> GeneralLedger:
    return read_general_ledger(HEADER + rows.encode(), object_key="gl.csv", currency=EUR)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-13,1,power,,1.00,EUR", "posting_month '2026-13' is no month"),
        ("2026-03,1,coffee,,1.00,EUR", "component 'coffee' is none of depreciation"),
        ("2026-03,1,power,H100!,1.00,EUR", "accelerator 'H100!'"),
        ("2026-03,1,power,,1e3,EUR", "amount '1e3' is no amount"),
        ('2026-03,1,power,,"1,000.00",EUR', "amount '1,000.00' is no amount"),
        ("2026-03,1,power,,1.005,EUR", "finer than one minor unit of EUR"),
        ("2026-03,1,power,,1.00,USD", "the lake bills in EUR: nothing is converted"),
        ("2026-03,1,power,1.00,EUR", "has 5 cells, the header 6"),
    ],
)
def test_a_row_that_cannot_be_used_is_quarantined_with_object_line_and_reason(row: str, said: str) -> None:
    ledger = read(f"2026-03,1,power,,10.00,EUR\n{row}\n2026-03,2,staff,,-2.50,EUR\n")

    assert [posted.amount for posted in ledger.posted] == [Decimal("10.00"), Decimal("-2.50")]
    (unread,) = ledger.quarantined
    assert unread.said.startswith("gl.csv line 3: ")
    assert said in unread.reason


def test_a_file_without_its_columns_has_no_row_and_says_which_are_missing() -> None:
    ledger = read_general_ledger(b"posting_month,gl_account\n2026-03,1\n", object_key="gl.csv")

    assert ledger.posted == ()
    assert "column component, accelerator, amount, currency is missing" in ledger.quarantined[0].reason


def test_a_shared_amount_is_split_by_what_is_planned_and_loses_no_cent() -> None:
    planned = {"a100": {"power": Fraction(1)}, "h100": {"power": Fraction(2), "staff": Fraction(1)}}
    rows = read("2026-03,1,power,,100.00,EUR\n2026-03,1,space,,0.01,EUR\n2026-03,1,power,l40s,5.00,EUR\n")

    actual, unplaced = actual_costs(rows.posted, planned, currency=EUR)

    assert actual["a100"]["power"] == Decimal("33.33")
    assert actual["h100"]["power"] == Decimal("66.67")
    assert actual["h100"]["space"] == Decimal("0.01")  # nothing was planned of it: by all that was planned
    assert [row.accelerator for row in unplaced] == ["l40s"]


def test_the_latest_extract_that_names_a_month_is_all_of_that_month() -> None:
    first = read("2026-03,1,power,,10.00,EUR\n2026-04,1,power,,11.00,EUR\n")
    later = read("2026-04,1,power,,12.00,EUR\n2026-04,1,coffee,,1.00,EUR\n")

    march, april, may = (ledger_of_month([first, later], f"2026-0{number}") for number in (3, 4, 5))

    assert march is not None
    assert april is not None
    assert [row.amount for row in march.posted] == [Decimal("10.00")]
    assert [row.amount for row in april.posted] == [Decimal("12.00")]
    assert len(april.quarantined) == 1
    assert may is None


def test_what_is_missing_or_has_no_place_is_said() -> None:
    plans = plans_of(PLANNED)
    ledger = read("2026-03,1,staff,,511.00,EUR\n2026-03,1,power,l40s,5.00,EUR\n2026-03,1,coffee,,1.00,EUR\n")

    found = ledger_findings(ledger.of_month("2026-03"), plans, EUR)

    assert [(key, expected) for key, expected, _ in found] == [
        ("quarantined", "a row that can be read"),
        ("l40s", "a build-up in the card in force"),
        ("h100-sxm5-80gb", "postings of software, as planned"),
    ]
    assert ledger_findings(None, plans, EUR) == []


def test_an_extract_is_known_by_its_header_and_finances_other_figures_are_not_taken_for_one() -> None:
    assert people_kind_of(b"\xef\xbb\xbf" + HEADER + b"2026-03,1,power,,1.00,EUR\n") == FINANCE_REFERENCE
    assert is_general_ledger(HEADER)
    assert not is_general_ledger(b"month,team,amount\n2026-03,vision,1.00\n")
