"""Each conservation rule seen to fail once: a check that never fails proves nothing."""

import polars as pl

from chargeback.attribution.conservation import (
    attribution_against_holds,
    capacity_states_add_up,
    overcommitted,
    states_add_up,
)
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.holds import HOLDS
from tests.tables import a_table_of

KEY = {"host": "gpu01", "accelerator": "h100", "sharing": "whole", "split": "one host"}

HOLD = a_table_of(HOLDS, """
    run    held_from          held_until         device_count
    7@now  2026-03-10T09:00Z  2026-03-10T10:00Z  4
""", **KEY)  # fmt: skip


def hour(held: int, unmeasured: int) -> pl.DataFrame:
    """One attribution row of the hold, in seconds."""
    return a_table_of(
        ATTRIBUTION,
        "run  hour_start\n7@now  2026-03-10T09:00Z",
        held_seconds=held,
        unmeasured_milliseconds=1000 * unmeasured,
        **KEY,
    ).with_columns(pl.col("idle_milliseconds", "starved_milliseconds", "busy_milliseconds") * 0)


def test_a_second_that_is_held_and_not_attributed_is_found() -> None:
    findings = attribution_against_holds(hour(held=14_399, unmeasured=14_399), HOLD)

    assert findings.rows() == [
        ("7@now gpu01 h100 whole share_units=1 units_per_gpu=1", "14400 device-seconds", "14399 device-seconds")
    ]


def test_attribution_without_a_hold_and_a_hold_without_attribution_are_found() -> None:
    nobody_held = attribution_against_holds(hour(held=1, unmeasured=1), HOLD.clear())
    nobody_attributed = attribution_against_holds(ATTRIBUTION.empty(), HOLD)

    assert nobody_held["expected"].to_list() == ["0 device-seconds"]
    assert nobody_attributed["observed"].to_list() == ["0 device-seconds"]


def test_held_time_in_no_state_or_in_two_is_found() -> None:
    assert states_add_up(hour(held=10, unmeasured=9))["observed"].to_list() == ["9000 device-ms"]
    assert states_add_up(hour(held=10, unmeasured=11))["observed"].to_list() == ["11000 device-ms"]
    assert states_add_up(hour(held=10, unmeasured=10)).is_empty()


def test_capacity_whose_states_do_not_add_up_is_found_with_its_hour_and_host() -> None:
    capacity = a_table_of(CAPACITY, """
        hour_start         host   accelerator  capacity_unit_seconds  held_unit_seconds
        2026-03-10T09:00Z  gpu01  h100         28800                  28799
    """).with_columns(pl.col("^(out|reserved|blocked|unknown|unallocated|overcommitted).*$") * 0)  # fmt: skip

    findings = capacity_states_add_up(capacity)

    assert findings.rows() == [
        ("2026-03-10T09:00:00Z gpu01 h100 units_per_gpu=1", "28800 unit-seconds", "28799 unit-seconds")
    ]


def test_two_runs_on_one_gpu_are_found_as_overcommitment() -> None:
    capacity = a_table_of(
        CAPACITY,
        """
        hour_start         host   accelerator  capacity_unit_seconds  held_unit_seconds  overcommitted_unit_seconds
        2026-03-10T09:00Z  gpu01  h100         28800                  28800              60
    """,
    )

    assert overcommitted(capacity)["observed"].to_list() == ["28860 unit-seconds"]
    assert overcommitted(capacity.with_columns(overcommitted_unit_seconds=pl.lit(0))).is_empty()
