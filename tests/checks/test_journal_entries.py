"""Checks of journal_entries: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.names import slug_of
from chargeback.contracts.team_charges import TEAM_CHARGES
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate

A_CENT = pl.lit("0.01").cast(pl.Decimal(38, 4))


def test_journal_balances_passes_for_what_was_billed(billed_estate: Estate) -> None:
    assert judged("journal_balances", billed_estate).is_pass


def test_journal_balances_fails_when_a_debit_is_a_cent_off(estate: Estate) -> None:
    change_first(estate, JOURNAL_ENTRIES, amount=pl.col("amount") + A_CENT)

    judgement = judged("journal_balances", estate)

    assert judgement.is_failure
    assert "0.01" in judgement.told


def test_journal_equals_charges_passes_for_what_was_billed(billed_estate: Estate) -> None:
    assert judged("journal_equals_charges", billed_estate).is_pass


def test_journal_equals_charges_fails_for_a_team_that_is_not_booked_though_the_rest_balances(estate: Estate) -> None:
    rows = rows_of(estate, JOURNAL_ENTRIES)
    put(estate, JOURNAL_ENTRIES, rows.filter(pl.col("entry_key") != rows["entry_key"][0]))

    assert judged("journal_balances", estate).is_pass
    assert judged("journal_equals_charges", estate).is_failure


def test_journal_held_for_terms_passes_for_what_was_billed(billed_estate: Estate) -> None:
    assert judged("journal_held_for_terms", billed_estate).is_pass


def test_journal_held_for_terms_fails_for_a_line_of_another_company_whose_entry_would_be_posted(estate: Estate) -> None:
    change_first(estate, TEAM_CHARGES, company=pl.lit("C2"))
    entries = rows_of(estate, JOURNAL_ENTRIES)
    (line, *_) = rows_of(estate, TEAM_CHARGES).filter(company="C2").iter_rows(named=True)
    is_its_entry = (pl.col("team") == line["team"]) & (pl.col("kind") == line["kind"])
    key = f"gpu-cb:C2:{line['month']}:{slug_of(line['team'])}:{line['kind']}:r1"
    put(estate, JOURNAL_ENTRIES, entries.with_columns(
        company=pl.when(is_its_entry).then(pl.lit("C2")).otherwise("company"),
        partner_company=pl.when(is_its_entry).then(pl.lit("C1")).otherwise("partner_company"),
        entry_key=pl.when(is_its_entry).then(pl.lit(key)).otherwise("entry_key"),
    ))  # fmt: skip

    judgement = judged("journal_held_for_terms", estate)

    assert judgement.is_failure
    assert f"{key} | held: C2 is another company than C1" in judgement.told
