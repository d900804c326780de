"""What leaves the company is held until finance has stated mark-up and tax code, and is charged all the same."""

import csv
import io
import json
from decimal import Decimal

import polars as pl
import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.class_terms import ClassTerms, class_terms
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.held_findings import unheld_findings
from chargeback.ledger.hledger import render_hledger
from chargeback.ledger.journal import JournalAccounts, balance_findings, journal_entries
from chargeback.ledger.journal_csv import render_journal_csv
from chargeback.ledger.postings import postings_of
from chargeback.ledger.statement_page import render_page
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.ledger.worked_statements import document_of, worked_statements
from tests.chargeback.pricing.built_cards import H100, HEAD, card_with
from tests.chargeback.worked_month import AMSTERDAM, EUR, worked_lines

ACCOUNTS = JournalAccounts("6400", "4400", "1990", "C1", "9000", "6490")
CLASSES = """\
customer_classes:
  internal: {kind: internal}
  partners: {kind: external, mark_up: 25 %, tax_code: V19}
  guests: {kind: external}
  sister: {kind: intercompany, mark_up: 0 %, tax_code: IC0}
"""
TERMS = PostingTerms(
    "C1", class_terms(prices_of_month(card_with(H100, HEAD + CLASSES), period=BillingPeriod("2026-03", AMSTERDAM)))
)
NONE_BOOKED = CORRECTIONS.empty()


def lines_of(company: str, customer_class: str, *, team: str = "NLP") -> pl.DataFrame:
    """The worked month's lines, one team's of another company and class."""
    is_team = pl.col("team") == team
    return worked_lines().with_columns(
        company=pl.when(is_team).then(pl.lit(company)).otherwise("company"),
        customer_class=pl.when(is_team).then(pl.lit(customer_class)).otherwise("customer_class"),
    )


def entries_of(company: str, customer_class: str) -> pl.DataFrame:
    return journal_entries(lines_of(company, customer_class), month="2026-03", accounts=ACCOUNTS, terms=TERMS)


def test_terms_are_what_the_card_states_and_no_mark_up_is_not_zero() -> None:
    assert TERMS.classes == {
        "internal": ClassTerms("internal"),
        "partners": ClassTerms("external", "25 %", "V19"),
        "guests": ClassTerms("external"),
        "sister": ClassTerms("intercompany", "0 %", "IC0"),
    }


@pytest.mark.parametrize(
    "company, customer_class, why",
    [
        ("C1", "", ""),
        ("", "", ""),
        ("C1", "internal", ""),
        ("C1", "partners", ""),
        ("C2", "sister", ""),
        ("C2", "partners", ""),
        ("C1", "guests", "customer class guests (external): state mark_up and tax_code in the rate card"),
        ("C2", "", "C2 is another company than C1 (no customer class)"),
        ("C2", "internal", "C2 is another company than C1 (class internal is internal)"),
        ("C2", "unknown", "C2 is another company than C1 (class unknown is internal)"),
    ],
)
def test_a_line_is_held_until_the_terms_of_its_class_are_stated(company: str, customer_class: str, why: str) -> None:
    held = TERMS.why_held(company, customer_class)

    assert held.startswith(why)
    assert bool(held) == bool(why)


def test_a_held_entry_balances_stands_in_the_journal_and_is_withheld_from_sending() -> None:
    entries = entries_of("C2", "")

    of_nlp = entries.filter(team="NLP")
    assert JOURNAL_ENTRIES.breaches(entries) == balance_findings(entries) == []
    assert of_nlp["partner_company"].unique().to_list() == ["C1"]
    assert of_nlp["hold"][0].startswith("C2 is another company than C1")
    assert set(entries.filter(pl.col("team") != "NLP")["hold"]) == {""}
    posted = postings_of(entries, {}, mode="enforced", certificate_hash="c")
    assert isinstance(posted, pl.DataFrame)
    assert dict(posted.select("team", "state").iter_rows()) == {
        "NLP": "withheld", "Robotics": "prepared", "Vision": "prepared", "unattributed": "prepared"
    }  # fmt: skip


def test_an_entry_with_terms_is_posted_with_its_tax_code_on_the_teams_side() -> None:
    entries = entries_of("C2", "sister").filter(team="NLP")

    assert dict(entries.select("side", "tax_code").iter_rows()) == {"debit": "IC0", "credit": ""}
    assert entries["hold"].unique().to_list() == [""]


def test_files_for_a_finance_system_say_that_an_entry_is_held_and_why() -> None:
    entries = entries_of("C1", "guests")

    rows = list(csv.DictReader(io.StringIO(render_journal_csv(entries, EUR, mode="enforced").decode())))
    ledger = render_hledger(entries, EUR, mode="enforced").decode()

    assert {(row["team"], row["status"]) for row in rows} == {
        ("NLP", "held"), ("Robotics", "prepared"), ("Vision", "prepared"), ("unattributed", "prepared")
    }  # fmt: skip
    assert {row["hold"].partition(":")[0] for row in rows if row["team"] == "NLP"} == {
        "customer class guests (external)"
    }
    assert "2026-03-31 ! (gpu-cb:C1:2026-03:nlp:allocation:r1)" in ledger
    assert "    ; held: customer class guests" in ledger
    assert "2026-03-31 * (gpu-cb:C1:2026-03:vision:allocation:r1)" in ledger


def test_an_entry_that_is_not_held_though_it_must_be_is_found_and_no_other() -> None:
    lines = lines_of("C2", "")
    careless = journal_entries(
        lines, month="2026-03", accounts=ACCOUNTS, terms=PostingTerms("C1", {"": ClassTerms("external", "0 %", "X")})
    )

    ((key, expected, observed),) = unheld_findings(careless, lines, NONE_BOOKED, TERMS)

    assert key == "gpu-cb:C2:2026-03:nlp:allocation:r1"
    assert expected.startswith("held: C2 is another company")
    assert observed == "not held"
    assert unheld_findings(entries_of("C2", ""), lines, NONE_BOOKED, TERMS) == []


def test_an_entry_that_is_not_flagged_as_between_companies_is_found() -> None:
    unflagged = entries_of("C2", "sister").with_columns(partner_company=pl.lit(""))

    found = unheld_findings(unflagged, lines_of("C2", "sister"), NONE_BOOKED, TERMS)

    assert found == [("gpu-cb:C2:2026-03:nlp:allocation:r1", "owed to C1", "owed to nobody")]


def test_statements_charge_what_is_held_and_say_so_net_of_tax() -> None:
    charged = worked_statements()
    held = worked_statements(lines=lines_of("C2", ""), terms=TERMS)

    document = json.loads(document_of(held, "NLP"))
    page = render_page(document_of(held, "NLP")).decode()
    summary = render_summary(list(held["document"]), month="2026-03").decode()

    assert held.select("team", "total_amount").equals(charged.select("team", "total_amount"))
    ((amount, count),) = [(row["amount"], row["line_count"]) for row in document["held_entries"]]
    assert (Decimal(amount), count) == (Decimal(document["total"]), 3)
    for text in (page, summary):
        assert "Charged, and not posted yet" in text
        assert f"<b>{Decimal(amount):,.2f} EUR</b>, net of tax, of 3 lines" in text
    assert "held_entries" not in json.loads(document_of(held, "Vision"))
    assert "not posted yet" not in render_page(document_of(charged, "NLP")).decode()
