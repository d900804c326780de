"""Held against active as a statement tells it: by class, accelerator and cluster, in GPU-hours and node-hours."""

import polars as pl

from chargeback.ledger.node_sizes import with_node_sizes
from chargeback.ledger.utilisation import held_parts, state_days, utilisation_parts
from tests.chargeback.ledger.measured_usage import MONTH, measured_usage, sizes_of
from tests.chargeback.worked_month import rated_usage

HEAD = MONTH.strip().splitlines()[0]


def sized(rated: pl.DataFrame) -> pl.DataFrame:
    return with_node_sizes(rated.lazy(), sizes_of(rated)).collect()


def test_the_states_of_held_time_add_up_and_say_what_an_active_hour_cost() -> None:
    held = held_parts(measured_usage())

    assert held["hours"] == "3185.00"
    assert [(state["state"], state["hours"], state["per_cent"]) for state in held["states"]] == [
        ("busy", "1530.00", "48.0"), ("starved", "1010.00", "31.7"), ("idle", "488.00", "15.3"),
        ("unmeasured", "157.00", "4.9"),
    ]  # fmt: skip
    assert held["has_telemetry"]
    assert (held["coverage_per_cent"], held["active_per_cent"]) == ("95.1", "50.5")
    assert held["cost_per_active_hour"] == "4.16"  # 3,185 x 2.00 / 1,530


def test_without_telemetry_nothing_is_said_about_activity() -> None:
    held = held_parts(rated_usage())

    assert not held["has_telemetry"]
    assert (held["active_per_cent"], held["cost_per_active_hour"], held["coverage_per_cent"]) == ("", "", "0.0")
    assert state_days(rated_usage()) == []


def test_held_stands_against_active_by_class_accelerator_and_cluster() -> None:
    parts = utilisation_parts(sized(measured_usage()))

    assert [(row["name"], row["hours"], row["node_hours"], row["active_hours"]) for row in parts["workload_class"]] == [
        ("batch", "2155.00", "269.38", "1010.00"),
        ("service", "600.00", "75.00", "500.00"),
        ("interactive", "430.00", "53.75", "20.00"),
    ]
    assert [(row["name"], row["active_per_cent"]) for row in parts["accelerator"]] == [("H100 SXM5 80 GB", "50.5")]
    assert {row["key"]: row["hours"] for row in parts["cluster"]} == {"slurm-a": "2070.00", "k8s-b": "1115.00"}


def test_hours_on_hosts_of_unknown_size_are_said_beside_the_node_hours() -> None:
    rated = measured_usage()
    known = sized(rated).with_columns(
        pl.when(pl.col("host") != "gpu01").then(f"node_gpus_{part}").alias(f"node_gpus_{part}")
        for part in ("numerator", "denominator")
    )

    slurm = next(row for row in utilisation_parts(known)["cluster"] if row["key"] == "slurm-a")
    nothing_known = utilisation_parts(rated)["cluster"][0]

    assert (slurm["node_hours"], slurm["unsized_hours"]) == ("8.75", "2000.00")
    assert (nothing_known["node_hours"], nothing_known["unsized_hours"]) == ("", "")


def test_what_is_split_by_share_is_counted_as_an_estimate() -> None:
    shared = measured_usage(f"{HEAD}\ns1  2026-03-04  gpu02  w  service  u  T  1  0  1  0  0  1  0", is_estimate=True)

    rated = pl.concat([measured_usage(), shared])

    assert held_parts(rated)["estimated_hours"] == "2.00"


def test_every_day_tells_its_states() -> None:
    days = state_days(measured_usage())

    assert [row["day"] for row in days] == [f"2026-03-0{n}" for n in range(2, 8)]
    assert days[0] == {
        "day": "2026-03-02", "busy_hours": "380.00", "starved_hours": "1000.00", "idle_hours": "450.00",
        "unmeasured_hours": "0.00",
    }  # fmt: skip
