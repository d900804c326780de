"""Each conservation rule seen to fail once: a check that never fails proves nothing."""

import polars as pl

from chargeback.attribution.conservation import (
    attribution_against_bindings,
    attribution_against_capacity,
    attribution_against_holds,
    capacity_states_add_up,
    double_booked,
    gpus_held_twice,
    states_add_up,
)
from chargeback.billing_period import Interval
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.holds import HOLDS
from chargeback.usage.set_members import MEMBERS
from tests.tables import a_table_of, instant

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
    """).with_columns(pl.col("^(out|reserved|blocked|unknown|unallocated|overcommitted).*_seconds$") * 0)  # fmt: skip

    findings = capacity_states_add_up(capacity)

    assert findings.rows() == [
        ("2026-03-10T09:00:00Z gpu01 h100 units_per_gpu=1", "28800 unit-seconds", "28799 unit-seconds")
    ]


def test_two_runs_on_one_gpu_are_found_as_double_booked() -> None:
    capacity = a_table_of(
        CAPACITY,
        """
        hour_start         host   accelerator  capacity_unit_seconds  held_unit_seconds  double_booked_unit_seconds
        2026-03-10T09:00Z  gpu01  h100         28800                  28800              60
    """,
    )

    assert double_booked(capacity, HOLDS.empty())["observed"].to_list() == ["28860 unit-seconds"]
    assert double_booked(capacity.with_columns(double_booked_unit_seconds=pl.lit(0)), HOLDS.empty()).is_empty()


NO_SETS = pl.DataFrame(schema=MEMBERS)


def attributed(text: str, **more: object) -> pl.DataFrame:
    """Attribution from nine to ten."""
    return a_table_of(
        ATTRIBUTION, text, **{**KEY, "hour_start": instant("2026-03-10T09:00Z"), "share_units": 1, **more}
    )


def capacity_of(text: str) -> pl.DataFrame:
    """Capacity from nine to ten; nothing was held beyond it unless it says so."""
    return a_table_of(CAPACITY, text, hour_start=instant("2026-03-10T09:00Z"), accelerator="h100",
                      overcommitted_unit_seconds=0)  # fmt: skip


def test_shares_of_different_units_add_up_to_what_capacity_says_was_held() -> None:
    rows = attributed("""
        run  sharing     units_per_gpu  held_seconds
        a    time-slice  4              3600
        b    shard       6              7200
    """)
    held = 12 * (3600 // 4 + 7200 // 6)
    capacity = f"host   units_per_gpu  held_unit_seconds\ngpu01  12             {held}"

    assert attribution_against_capacity(rows, capacity_of(capacity), NO_SETS).is_empty()
    assert attribution_against_capacity(
        rows, capacity_of(capacity.replace(str(held), str(held - 1))), NO_SETS
    ).rows() == [("2026-03-10T09:00:00Z gpu01 h100", f"{held - 1} unit-seconds", f"{held} unit-seconds")]


def test_what_was_held_beyond_capacity_is_attributed_too() -> None:
    rows = attributed("run  held_seconds\na    7200")
    beyond = capacity_of("host  held_unit_seconds  overcommitted_unit_seconds\ngpu01  3600  3600")

    assert attribution_against_capacity(rows, beyond, NO_SETS).is_empty()


def test_a_set_of_hosts_is_held_against_all_that_was_held_on_its_hosts_and_on_sets_within_it() -> None:
    rows = attributed("""
        run  host         held_seconds
        a    gpu[01-02]   3600
        b    gpu[02-03]   3600
        c    gpu01        1800
        d    gpu04        900
    """)
    members = pl.DataFrame(
        [("gpu[01-02]", "gpu01"), ("gpu[01-02]", "gpu02"), ("gpu[02-03]", "gpu02"), ("gpu[02-03]", "gpu03"),
         ("gpu[01-03]", "gpu01"), ("gpu[01-03]", "gpu02"), ("gpu[01-03]", "gpu03")],
        schema=MEMBERS, orient="row",
    )  # fmt: skip
    capacity = capacity_of("host  held_unit_seconds\ngpu[01-03]  9000\ngpu04  900")

    assert attribution_against_capacity(rows, capacity, members).is_empty()
    missing = attribution_against_capacity(rows, capacity.filter(pl.col("host") == "gpu04"), members)
    assert missing["observed"].to_list() == ["1800 unit-seconds", "3600 unit-seconds", "3600 unit-seconds"]


def test_a_binding_that_is_attributed_for_a_second_less_is_found() -> None:
    bound = a_table_of(BINDINGS, "run  gpu  share_units\n7@now  GPU-1  2", units_per_gpu=8, **KEY,
                       held_from=instant("2026-03-10T09:00Z"), held_until=instant("2026-03-10T10:00Z"))  # fmt: skip
    rows = attributed("run  gpu  held_seconds\n7@now  GPU-1  7199", units_per_gpu=8)

    assert attribution_against_bindings(rows, bound)["observed"].to_list() == ["7199 unit-seconds"]
    assert attribution_against_bindings(rows.with_columns(held_seconds=pl.lit(7200)), bound).is_empty()


def test_a_gpu_held_whole_by_two_in_the_last_half_hour_of_a_day_is_found_and_one_that_is_shared_is_not() -> None:
    day = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-10T09:30Z"))
    twice = attributed("run  gpu    held_seconds\na    GPU-1  1800\nb    GPU-1  1")

    found = gpus_held_twice(twice, interval=day)

    assert found.rows() == [("2026-03-10T09:00:00Z gpu01 GPU-1", "1800 device-seconds", "1801 device-seconds")]
    assert gpus_held_twice(twice.with_columns(sharing=pl.lit("fraction")), interval=day).is_empty()
    assert gpus_held_twice(twice.head(1), interval=day).is_empty()
