"""Checks of attribution: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.attribution import ATTRIBUTION
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_attribution_conserves_holds_passes_to_the_second(billed_estate: Estate) -> None:
    assert judged("attribution_conserves_holds", billed_estate).is_pass


def test_attribution_conserves_holds_fails_for_a_second_too_many(estate: Estate) -> None:
    change_first(estate, ATTRIBUTION, held_seconds=pl.col("held_seconds") + 1)

    judgement = judged("attribution_conserves_holds", estate)

    assert judgement.is_failure
    assert "device-seconds" in judgement.told


def test_attribution_states_add_up_passes_when_all_held_time_is_unmeasured(billed_estate: Estate) -> None:
    assert judged("attribution_states_add_up", billed_estate).is_pass


def test_attribution_states_add_up_fails_for_a_second_that_is_idle_and_unmeasured(estate: Estate) -> None:
    change_first(estate, ATTRIBUTION, idle_seconds=pl.lit(1))

    assert judged("attribution_states_add_up", estate).is_failure
