"""Checks of recovery: each passes on what was billed, and fails on what it is there for."""

from decimal import Decimal

import polars as pl

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.partition import Partition
from chargeback.contracts.recovery import RECOVERY
from chargeback.ledger.recovery_findings import identity_findings
from tests.chargeback.ledger.recovery_month import EUR, month_of_recovery
from tests.checks.judging import change_first, judged, put
from tests.estates import MONTH, Estate

CENT, EURO = (pl.lit(Decimal(amount)) for amount in ("0.01", "1.00"))


def test_the_recovery_checks_pass_on_what_was_billed(billed_estate: Estate) -> None:
    for check in ("recovery_adds_up", "recovered_equals_journal", "general_ledger_read"):
        assert judged(check, billed_estate).is_pass


def test_recovery_adds_up_fails_for_a_pool_that_is_a_cent_off(estate: Estate) -> None:
    assert identity_findings(month_of_recovery(), EUR) == []

    off = month_of_recovery().with_columns(volume_variance=pl.col("volume_variance") + CENT)
    put(estate, RECOVERY, off.cast(RECOVERY.schema))

    assert judged("recovery_adds_up", estate).is_failure


def test_recovery_adds_up_fails_where_rounding_hides_more_than_rounding(estate: Estate) -> None:
    hidden = {"discounts": pl.col("discounts") - EURO, "rounding": pl.col("rounding") + EURO}

    put(estate, RECOVERY, month_of_recovery().with_columns(**hidden).cast(RECOVERY.schema))

    assert "rounding of rate and lines: 7/2000" in judged("recovery_adds_up", estate).told


def test_recovered_equals_journal_fails_for_a_cent_that_nobody_was_charged(estate: Estate) -> None:
    change_first(estate, RECOVERY, recovered=pl.col("recovered") + CENT)

    told = judged("recovered_equals_journal", estate)

    assert told.is_failure
    assert "the journal recovers" in told.told


def test_what_corrects_a_closed_month_is_in_the_ledger_of_that_month_and_not_in_this_ones(estate: Estate) -> None:
    entries = estate.workspace.lake.scan(JOURNAL_ENTRIES, [Partition.of_month(MONTH)]).frame.collect()
    corrected = entries.with_columns(
        kind=pl.lit("correction"), entry_key=pl.concat_str("entry_key", pl.lit("-correction"))
    )

    put(estate, JOURNAL_ENTRIES, pl.concat([entries, corrected]))

    assert judged("recovered_equals_journal", estate).is_pass


def test_general_ledger_read_fails_for_rows_that_are_in_no_pool_and_stops_nothing(estate: Estate) -> None:
    content = (
        b"posting_month,gl_account,component,accelerator,amount,currency\n"
        b"2026-03,620100,power,,100.00,EUR\n"
        b"2026-03,620100,coffee,,7.00,EUR\n"
    )
    estate.land("finance-reference", content, extension="csv")

    judgement = judged("general_ledger_read", estate)

    assert judgement.is_failure
    assert "line 3: component 'coffee' is none of depreciation" in judgement.told
    assert "power 100.00: in no pool" in judgement.told
    assert not judgement.evidence.blocking
