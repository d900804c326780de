"""Statements in currencies without decimals and with three: each minor unit as it is, on page, paper, CSV and terminal.

NLP's month: 480 h at 2.385, 30 h at 1.68, 24 minutes and 0.4 s of a shared job: 1,144.80 + 50.40 + 0.95 in EUR.
"""

import csv
import io
import json
import re
from decimal import Decimal

import pytest
from rich.console import Console

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from chargeback.money import Currency
from orchestration.statement import print_statement
from tests.chargeback.ledger.test_statement_pdf import text_of
from tests.chargeback.ledger.worked_statements import document_of, worked_statements
from tests.chargeback.worked_month import rated_usage

AMOUNTS = {
    "EUR": ("1,144.80", "50.40", "0.95", "1,196.15"),
    "JPY": ("1,145", "50", "1", "1,196"),
    "KWD": ("1,144.800", "50.400", "0.954", "1,196.154"),
}


@pytest.fixture(params=list(AMOUNTS))
def code(request: pytest.FixtureRequest) -> str:
    """A currency of two decimals, of none, and of three."""
    return str(request.param)


def nlp(code: str) -> str:
    currency = Currency(code)
    rated = rated_usage()
    lines = charge_lines(rated, currency=currency)
    return document_of(worked_statements(rated=rated, lines=lines, currency=currency), "NLP")


def plain(amounts: tuple[str, ...]) -> list[str]:
    return [amount.replace(",", "") for amount in amounts]


def test_the_document_has_every_line_in_its_minor_unit_and_the_total_is_their_sum(code: str) -> None:
    document = json.loads(nlp(code))

    *lines, total = plain(AMOUNTS[code])
    assert [line["amount"] for line in document["lines"]] == lines
    assert document["total"] == total
    assert Decimal(total) == sum(map(Decimal, lines))


def test_the_page_and_the_terminal_show_them(code: str) -> None:
    page = re.sub(r"\s+|&nbsp;", " ", re.sub(r"<[^>]+>", " ", render_page(nlp(code)).decode()))
    console = Console(file=io.StringIO(), record=True, width=200)
    print_statement(json.loads(nlp(code)), console)
    terminal = console.export_text()

    assert f"{AMOUNTS[code][-1]} {code}" in page
    assert all(f" {amount} " in page for amount in AMOUNTS[code])
    assert f"{AMOUNTS[code][-1]} {code}" in terminal


def test_the_paper_shows_them(code: str) -> None:
    text = text_of(render_pdf(nlp(code)), first_page_only=True)

    assert f"{AMOUNTS[code][-1]} {code}" in text
    assert all(amount in text for amount in AMOUNTS[code])


def test_the_csv_has_them_as_numbers(code: str) -> None:
    rows = list(csv.DictReader(io.StringIO(render_lines_csv(nlp(code)).decode())))

    assert [row["amount"] for row in rows] == plain(AMOUNTS[code])[:-1]
    assert {row["currency"] for row in rows} == {code}


def test_the_estates_summary_adds_them_up_in_the_same_unit(code: str) -> None:
    currency = Currency(code)
    rated = rated_usage()
    lines = charge_lines(rated, currency=currency)
    rows = worked_statements(rated=rated, lines=lines, currency=currency).sort("team")

    summary = render_summary(list(rows["document"]), month="2026-03").decode()

    assert f"{sum(lines['amount'], Decimal(0)):,.{currency.minor_units}f}" in summary
