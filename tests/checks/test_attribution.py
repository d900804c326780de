"""Checks of attribution: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from tests.checks.judging import change_first, judged, put, rows_of
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
    change_first(estate, ATTRIBUTION, idle_milliseconds=pl.lit(1))

    assert judged("attribution_states_add_up", estate).is_failure


def test_gpu_hours_conserved_passes_for_holds_without_any_telemetry(billed_estate: Estate) -> None:
    judgement = judged("gpu_hours_conserved", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.blocking


def test_gpu_hours_conserved_fails_where_capacity_says_that_more_was_held(estate: Estate) -> None:
    held = rows_of(estate, CAPACITY).filter(pl.col("held_unit_seconds") > 0)
    put(estate, CAPACITY, held.with_columns(held_unit_seconds=pl.col("held_unit_seconds") + 1))

    judgement = judged("gpu_hours_conserved", estate)

    assert judgement.is_failure
    assert "gpu01 h100-sxm5-80gb | 3601 unit-seconds | 3600 unit-seconds" in judgement.told


def test_gpu_hours_conserved_fails_where_a_hold_is_attributed_to_a_gpu_that_nothing_binds_it_to(
    estate: Estate,
) -> None:
    change_first(estate, ATTRIBUTION, gpu=pl.lit("GPU-1"))

    judgement = judged("gpu_hours_conserved", estate)

    assert judgement.is_failure
    assert "GPU-1 units_per_gpu=1 | 0 unit-seconds | 3600 unit-seconds" in judgement.told


def test_gpu_hours_conserved_fails_for_a_gpu_that_two_whole_holds_had_in_one_hour(estate: Estate) -> None:
    rows = rows_of(estate, ATTRIBUTION).with_columns(gpu=pl.lit("GPU-1"))
    put(estate, ATTRIBUTION, pl.concat([rows, rows.with_columns(run=pl.lit("another"))]))

    assert "| 3600 device-seconds | 7200 device-seconds" in judged("gpu_hours_conserved", estate).told
