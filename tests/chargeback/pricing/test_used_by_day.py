"""What a run's held time did, added up to days: integers over the share's units, and GPUs that never worked."""

import polars as pl
import pytest

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rating import rate_usage
from chargeback.pricing.used_by_day import used_by_day, worked_devices
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import MARCH, NOTHING_SEEN, the_card, usage_of
from tests.tables import a_table_of

HOUR = 3_600_000


def hours(text: str, **defaults: object) -> pl.DataFrame:
    given = {
        "cluster": "k8s-b", "day": "2026-03-10", "host": "n1", "accelerator": "a100", "sharing": "whole",
        **NOTHING_SEEN, "unmeasured_milliseconds": 0, **defaults,
    }  # fmt: skip
    return a_table_of(ATTRIBUTION, text, **given)


def test_a_runs_hours_and_gpus_are_added_up_state_by_state() -> None:
    attribution = hours("""
        run  hour_start         gpu    held_seconds  idle_milliseconds  busy_milliseconds  active_milliseconds
        a    2026-03-10T08:00Z  GPU-1  3600          600000             3000000            3000000
        a    2026-03-10T09:00Z  GPU-1  3600          3600000            0                  0
        a    2026-03-10T08:00Z  GPU-2  3600          0                  3600000            3600000
    """).with_columns(consumed_ppm_milliseconds=pl.Series([900_000 * 3_000_000, 0, 500_000 * 3_600_000]))

    (row,) = used_by_day(attribution.lazy()).iter_rows(named=True)

    assert (row["gpu_seconds_numerator"], row["gpu_seconds_denominator"], row["units_per_gpu"]) == (10_800, 1, 1)
    assert (row["idle_unit_milliseconds"], row["busy_unit_milliseconds"]) == (4_200_000, 6_600_000)
    assert row["active_unit_milliseconds"] == 6_600_000
    assert row["consumed_unit_ppm_milliseconds"] == 900_000 * 3_000_000 + 500_000 * 3_600_000


def test_what_a_shared_gpu_did_is_scaled_by_the_share_and_stays_marked_as_an_estimate() -> None:
    attribution = hours("""
        run  hour_start         gpu    share_units  units_per_gpu  held_seconds  busy_milliseconds  is_estimate
        a    2026-03-10T08:00Z  GPU-1  23           50             3600          3600000            true
        a    2026-03-10T09:00Z  GPU-1  23           50             3600          3600000            false
    """)

    (row,) = used_by_day(attribution.lazy()).iter_rows(named=True)

    assert (row["gpu_seconds_numerator"], row["gpu_seconds_denominator"]) == (7200 * 23 // 50, 1)
    assert row["busy_unit_milliseconds"] == 2 * HOUR * 23
    assert row["units_per_gpu"] == 50
    assert row["is_estimate"]


def test_two_unit_counts_of_one_day_are_added_over_their_product() -> None:
    attribution = hours("""
        run  hour_start         share_units  units_per_gpu  held_seconds  unmeasured_milliseconds  after_end_seconds
        a    2026-03-10T08:00Z  1            8              3600          3600000                  0
        a    2026-03-10T09:00Z  1            10             3600          3600000                  3600
    """)

    (row,) = used_by_day(attribution.lazy()).iter_rows(named=True)

    assert (row["gpu_seconds_numerator"], row["gpu_seconds_denominator"], row["units_per_gpu"]) == (810, 1, 80)
    assert row["unmeasured_unit_milliseconds"] == HOUR * (10 + 8)
    assert row["after_end_unit_seconds"] == 3600 * 8


def test_energy_that_nobody_sampled_is_unknown_and_never_nought() -> None:
    attribution = hours("""
        run  hour_start         gpu    energy_microjoules
        a    2026-03-10T08:00Z  GPU-1  -
        b    2026-03-10T08:00Z  GPU-2  7
        b    2026-03-10T09:00Z  GPU-2  -
    """)

    used = used_by_day(attribution.lazy())

    assert dict(used.select("run", "energy_microjoules").iter_rows()) == {"a": None, "b": 7}


def test_runs_that_share_a_gpu_share_its_energy_too() -> None:
    attribution = hours("""
        run  hour_start         gpu    share_units  units_per_gpu  energy_microjoules
        a    2026-03-10T08:00Z  GPU-1  1            4              1000
        b    2026-03-10T08:00Z  GPU-1  3            4              1000
    """)

    used = used_by_day(attribution.lazy())

    assert dict(used.select("run", "energy_microjoules").iter_rows()) == {"a": 250, "b": 750}


def test_a_gpu_that_never_worked_in_the_month_is_counted_once_however_long_it_was_held() -> None:
    attribution = hours("""
        run  day         hour_start         gpu    observed_milliseconds  active_milliseconds
        a    2026-03-10  2026-03-10T08:00Z  GPU-1  3600000                0
        a    2026-03-11  2026-03-11T08:00Z  GPU-1  3600000                5
        a    2026-03-10  2026-03-10T08:00Z  GPU-2  3600000                0
        a    2026-03-11  2026-03-11T08:00Z  GPU-2  3600000                0
        a    2026-03-10  2026-03-10T08:00Z  GPU-3  0                      0
        b    2026-03-10  2026-03-10T08:00Z  ''     0                      0
    """)

    assert worked_devices(attribution.lazy()).rows() == [("k8s-b", "a", 2, 1)]


@pytest.mark.parametrize("sampled", [False, True], ids=["without telemetry", "with telemetry"])
def test_telemetry_changes_what_is_reported_and_never_what_is_charged(sampled: bool) -> None:
    holds = "1  lab  ana  standard  gpu01  h100-sxm5-80gb  2  1/1  2026-03-07T08:00:00Z  2026-03-07T09:00:00Z"
    attribution, runs = usage_of(holds)
    seen = attribution.with_columns(
        unmeasured_milliseconds=pl.lit(0), busy_milliseconds=pl.lit(2 * HOUR), active_milliseconds=pl.lit(2 * HOUR),
        observed_milliseconds=pl.lit(2 * HOUR), consumed_ppm_milliseconds=pl.lit(2 * HOUR * 10**6),
    ).cast(ATTRIBUTION.schema)  # fmt: skip

    rated = _rated(seen if sampled else attribution, runs)

    assert RATED_USAGE.breaches(rated) == []
    assert rated.select("quantity_numerator", "quantity_denominator", "gpu_seconds_numerator").rows() == [
        (7200, 1, 7200)
    ]
    assert rated["busy_unit_milliseconds"].to_list() == [2 * HOUR if sampled else 0]
    assert rated["unmeasured_unit_milliseconds"].to_list() == [0 if sampled else 2 * HOUR]


def test_a_month_of_a_pod_with_odd_shares_on_many_gpus_at_full_load_does_not_overflow() -> None:
    day = 86_400_000
    attribution = hours(f"""
        run  hour_start         gpu    share_units  units_per_gpu  held_seconds  consumed_ppm_milliseconds
        a    2026-03-10T00:00Z  ''     81558        81559          {86_400 * 16}  {10**6 * day * 16}
    """)

    (row,) = used_by_day(attribution.lazy()).iter_rows(named=True)

    assert row["consumed_unit_ppm_milliseconds"] == 10**6 * day * 16 * 81558 > 2**63


def test_a_run_that_held_and_was_never_seen_started_is_told_apart_from_one_that_started_later() -> None:
    holds = """
        1  lab  ana  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-07T20:00:00Z  2026-03-08T09:00:00Z
        2  lab  ana  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-07T20:00:00Z  2026-03-07T21:00:00Z
    """
    attribution, runs = usage_of(holds)
    pulling = (pl.col("job_id") == "2") | (pl.col("day") == "2026-03-07")

    rated = _rated(attribution, runs.with_columns(started=pl.when(~pulling).then("started")))

    assert set(rated.select("job_id", "has_started").iter_rows()) == {("1", True), ("2", False)}


def _rated(attribution: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    nobody, _ = read_ownership(HEADER.encode(), object_key="o")
    return rate_usage(
        attribution.lazy(), runs.lazy(), ownership_of_month(nobody, period=MARCH),
        prices_of_month(the_card(), period=MARCH), period=MARCH, currency="EUR",
    )  # fmt: skip
