"""Who pays how much more or less at another card: exact, by team, accelerator and in all, as table, CSV and page."""

import json
from decimal import Decimal

import pytest

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.rerating import RatedMonth, rate_changes, render_rerating_csv, rerating
from chargeback.ledger.rerating_page import render_rerating
from chargeback.ledger.statement_document import Document
from chargeback.money import Currency
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.repricing import reprice
from tests.chargeback.worked_month import CARD, EUR, MARCH, rated_usage, the_card

DEARER_A100 = CARD.replace(b"price: 1.10", b"price: 1.60")


def month_at(card: bytes, *, is_closed: bool = False, currency: Currency = EUR) -> RatedMonth:
    prices, new_prices = (prices_of_month(the_card(each), period=MARCH) for each in (CARD, card))
    rated = rated_usage()
    lines, new_lines = (
        charge_lines(each, currency=currency) for each in (rated, reprice(rated, prices, new_prices))
    )  # fmt: skip
    return RatedMonth("2026-03", is_closed, lines, new_lines, prices, new_prices)


def document_of(*months: RatedMonth, unsigned: tuple[str, ...] = (), currency: Currency = EUR) -> Document:
    return rerating(months, cards=["2026.2"], unsigned=unsigned, other_card_only=[], currency=currency)


def test_a_dearer_accelerator_is_paid_by_those_who_held_it_for_every_hour_of_it() -> None:
    """130 A100 hours: 96 of Vision, 32 of Robotics, 2 of nobody; half a euro more each."""
    open_months = document_of(month_at(DEARER_A100))["open"]

    assert {row["name"]: row["difference"] for row in open_months["teams"]} == {
        "NLP": "0.00", "Robotics": "16.00", "Vision": "48.00", "unattributed": "1.00",
    }  # fmt: skip
    assert {row["name"]: row["difference"] for row in open_months["accelerators"]} == {
        "A100 SXM4 80 GB": "65.00", "A100 SXM4 80 GB, slice 3g.40gb": "0.00", "H100 SXM5 80 GB": "0.00",
    }  # fmt: skip
    assert open_months["total"]["difference"] == "65.00"
    assert open_months["total"]["before"] == "1490.92"


def test_rows_of_every_table_add_up_to_its_total() -> None:
    part = document_of(month_at(DEARER_A100.replace(b"2.385", b"2.001")))["open"]

    for by in ("months", "teams", "accelerators"):
        for figure in ("before", "after", "difference"):
            assert sum(Decimal(row[figure]) for row in part[by]) == Decimal(part["total"][figure])


def test_closed_months_are_told_apart_from_open_ones() -> None:
    document = document_of(month_at(DEARER_A100, is_closed=True))

    assert document["open"]["months"] == []
    assert [row["difference"] for row in document["closed"]["months"]] == ["65.00"]
    assert "become" not in json.dumps(document)


def test_a_card_of_another_version_at_equal_rates_changes_no_rate() -> None:
    same = month_at(CARD.replace(b'"2026.1"', b'"2026.2"'))

    assert not same.rates_change
    assert rate_changes(same.prices, month_at(DEARER_A100).new_prices) == [
        ("a100-sxm4-80gb", "standard", "1.10 EUR/GPU-hour", "1.60 EUR/GPU-hour")
    ]


def test_the_page_shows_a_picture_asks_nothing_of_anybody_and_is_marked_where_nobody_signed() -> None:
    unsigned = render_rerating(document_of(month_at(DEARER_A100), unsigned=("Rate card 2026.2: unsigned",))).decode()
    signed = render_rerating(document_of(month_at(DEARER_A100))).decode()

    assert "<svg" in unsigned
    assert "+65.00 EUR" in unsigned
    assert unsigned.count("NOT SIGNED") == 2
    assert "NOT SIGNED" not in signed
    assert "http" not in unsigned.replace("http://www.w3.org/", "")
    assert render_rerating(document_of(month_at(DEARER_A100))).decode() == signed


def test_a_card_that_changes_nothing_says_so() -> None:
    assert "Nobody pays more or less" in render_rerating(document_of()).decode()


@pytest.mark.parametrize(("code", "difference"), [("JPY", "65"), ("KWD", "65.000")])
def test_any_currency_has_its_own_minor_units_in_table_csv_and_page(code: str, difference: str) -> None:
    currency = Currency(code)
    document = document_of(month_at(DEARER_A100, currency=currency), currency=currency)

    assert document["open"]["total"]["difference"] == difference
    assert f"open,total,total,708.29,{document['open']['total']['before']}" in render_rerating_csv(document).decode()
    assert f"+{difference} {code}" in render_rerating(document).decode()
