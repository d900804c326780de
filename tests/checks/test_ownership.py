"""Checks of ownership: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.ownership import OWNERSHIP
from tests.checks.judging import judged, put, rows_of
from tests.estates import Estate


def test_ownership_unambiguous_passes_for_a_key_shared_sixty_to_forty(billed_estate: Estate) -> None:
    assert judged("ownership_unambiguous", billed_estate).is_pass


def test_ownership_unambiguous_fails_for_a_key_that_two_teams_own_whole(estate: Estate) -> None:
    rows = rows_of(estate, OWNERSHIP)
    whole = rows.filter(pl.col("key") == "vision-lab")
    put(estate, OWNERSHIP, rows.vstack(whole.with_columns(team=pl.lit("NLP"), cost_centre=pl.lit("4712"))))

    judgement = judged("ownership_unambiguous", estate)

    assert judgement.is_failure
    assert "vision-lab" in judgement.told
