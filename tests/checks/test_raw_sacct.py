"""Checks of raw_sacct: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.raw_sacct import RAW_SACCT
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_raw_sacct_valid_passes_for_what_the_scheduler_recorded(billed_estate: Estate) -> None:
    judgement = judged("raw_sacct_valid", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["records"] == 2


def test_raw_sacct_valid_fails_for_a_run_that_ends_before_it_starts(estate: Estate) -> None:
    change_first(estate, RAW_SACCT, End=pl.col("Start") - pl.duration(seconds=1))

    judgement = judged("raw_sacct_valid", estate)

    assert judgement.is_failure
    assert "End at or after 2026-03-30 20:00:00" in judgement.told


def test_raw_sacct_valid_fails_for_a_started_run_that_nobody_saw(estate: Estate) -> None:
    change_first(estate, RAW_SACCT, started_until=pl.lit(None))

    assert judged("raw_sacct_valid", estate).is_failure
