"""Checks of certificate: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.runs import RUNS
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_certificate_current_passes_right_after_the_bill(billed_estate: Estate) -> None:
    assert judged("certificate_current", billed_estate).is_pass


def test_certificate_current_fails_when_a_certified_content_changed_afterwards(estate: Estate) -> None:
    change_first(estate, RUNS, job_name=pl.lit("another name"))

    judgement = judged("certificate_current", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("runs slurm-a|2026-03-31")
