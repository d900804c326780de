"""Checks of holds: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.holds import HOLDS
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_holds_inside_day_passes_for_holds_cut_to_the_day(billed_estate: Estate) -> None:
    judgement = judged("holds_inside_day", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["holds"] == 2


def test_holds_inside_day_fails_for_a_hold_that_reaches_into_the_next_day(estate: Estate) -> None:
    change_first(estate, HOLDS, held_until=pl.col("held_until") + pl.duration(days=1))

    assert judged("holds_inside_day", estate).is_failure


def test_holds_inside_day_fails_for_a_hold_without_length(estate: Estate) -> None:
    change_first(estate, HOLDS, held_until=pl.col("held_from"))

    assert judged("holds_inside_day", estate).is_failure


def test_holds_mapped_passes_when_every_accelerator_has_a_name(billed_estate: Estate) -> None:
    assert judged("holds_mapped", billed_estate).is_pass


def test_holds_mapped_fails_for_an_untyped_gpu_and_stops_nothing(estate: Estate) -> None:
    change_first(estate, HOLDS, accelerator=pl.lit("untyped"))

    judgement = judged("holds_mapped", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
