"""Checks of postings: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.postings import POSTINGS
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate


def test_postings_single_passes_right_after_the_bill(billed_estate: Estate) -> None:
    assert judged("postings_single", billed_estate).is_pass


def test_postings_single_fails_for_an_entry_without_a_posting(estate: Estate) -> None:
    put(estate, POSTINGS, rows_of(estate, POSTINGS)[1:])

    judgement = judged("postings_single", estate)

    assert judgement.is_failure
    assert "no posting" in judgement.told


def test_postings_single_fails_for_a_posting_of_another_content(estate: Estate) -> None:
    change_first(estate, POSTINGS, entry_sha256=pl.lit("0" * 64))

    assert judged("postings_single", estate).is_failure
