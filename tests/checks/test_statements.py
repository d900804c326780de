"""Checks of statements: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.statements import STATEMENTS
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate


def test_statements_equal_charges_passes_for_every_team(billed_estate: Estate) -> None:
    assert judged("statements_equal_charges", billed_estate).is_pass


def test_statements_equal_charges_fails_for_a_total_that_is_a_cent_off(estate: Estate) -> None:
    change_first(estate, STATEMENTS, total_amount=pl.col("total_amount") + pl.lit("0.01").cast(pl.Decimal(38, 4)))

    assert judged("statements_equal_charges", estate).is_failure


def test_statements_equal_charges_fails_for_a_team_without_a_statement(estate: Estate) -> None:
    put(estate, STATEMENTS, rows_of(estate, STATEMENTS)[1:])

    judgement = judged("statements_equal_charges", estate)

    assert judgement.is_failure
    assert "no statement" in judgement.told
