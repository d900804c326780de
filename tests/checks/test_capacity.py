"""Checks of capacity: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.capacity import CAPACITY
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_capacity_conserved_passes_when_each_second_is_in_one_state(billed_estate: Estate) -> None:
    judgement = judged("capacity_conserved", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["host_hours"] == 4 * 24


def test_capacity_conserved_fails_for_a_single_lost_second(estate: Estate) -> None:
    change_first(estate, CAPACITY, unallocated_unit_seconds=pl.col("unallocated_unit_seconds") - 1)

    judgement = judged("capacity_conserved", estate)

    assert judgement.is_failure
    assert "28800 unit-seconds | 28799 unit-seconds" in judgement.told


def test_capacity_not_overcommitted_passes_when_nobody_holds_more_than_there_is(billed_estate: Estate) -> None:
    assert judged("capacity_not_overcommitted", billed_estate).is_pass


def test_capacity_not_overcommitted_fails_when_two_runs_had_the_same_gpu(estate: Estate) -> None:
    change_first(estate, CAPACITY, overcommitted_unit_seconds=pl.lit(3_600), double_booked_unit_seconds=pl.lit(3_600))

    judgement = judged("capacity_not_overcommitted", estate)

    assert judgement.is_failure
    assert "| 3600 unit-seconds | 7200 unit-seconds" in judgement.told


def test_capacity_not_overcommitted_passes_for_what_sharing_permits_and_says_how_much_that_is(estate: Estate) -> None:
    change_first(estate, CAPACITY, overcommitted_unit_seconds=pl.lit(3_600))

    judgement = judged("capacity_not_overcommitted", estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["promised_beyond_capacity_unit_seconds"] == 3_600


def test_capacity_inventoried_passes_when_every_host_has_a_node_record(billed_estate: Estate) -> None:
    assert judged("capacity_inventoried", billed_estate).is_pass


def test_capacity_inventoried_fails_for_a_host_that_no_node_record_knows(estate: Estate) -> None:
    change_first(estate, CAPACITY, inventory=pl.lit("none"), held_unit_seconds=pl.lit(3_600))

    assert judged("capacity_inventoried", estate).is_failure
