"""Node-hours: GPU-hours over the GPUs of their host, so that a host held whole all day makes 24 of them."""

from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.contracts.capacity import CAPACITY
from chargeback.ledger.node_sizes import NODE_SIZES, node_sizes, with_node_sizes
from chargeback.ledger.usage_states import all_states, states_by
from tests.chargeback.ledger.measured_usage import MONTH, measured_usage
from tests.tables import a_table_of

UTC = ZoneInfo("UTC")
HEAD = MONTH.strip().splitlines()[0]


def capacity(text: str, **defaults: object) -> pl.LazyFrame:
    given = {"cluster": "k8s-b", "day": "2026-03-02", "accelerator": "a100", "inventory": "node record", **defaults}
    return a_table_of(CAPACITY, text, **given).lazy()


def sizes_of(frame: pl.LazyFrame, zone: ZoneInfo = UTC) -> dict[str, Fraction]:
    sizes = node_sizes(frame, zone=zone)
    return {host: Fraction(n, d) for host, n, d in sizes.select("host", "^node_gpus.*$").iter_rows()}


def test_a_host_has_the_gpus_of_its_inventory_whole_ones_and_slices_together() -> None:
    frame = capacity("""
        host   accelerator  hour_start         units_per_gpu  capacity_unit_seconds
        gpu02  a100         2026-03-02T00:00Z  1              10800
        gpu02  a100         2026-03-02T01:00Z  1              10800
        gpu02  a100:3g      2026-03-02T00:00Z  7              25200
        gpu02  a100:3g      2026-03-02T01:00Z  7              25200
    """)

    assert sizes_of(frame) == {"gpu02": 4}


def test_without_any_capacity_no_host_has_a_size() -> None:
    assert len(node_sizes(CAPACITY.empty().lazy(), zone=UTC)) == 0


def test_the_shorter_last_hour_of_a_day_counts_as_long_as_it_is() -> None:
    frame = capacity("""
        host   hour_start         capacity_unit_seconds
        gpu02  2026-10-03T13:30Z  28800
        gpu02  2026-10-04T12:30Z  14400
    """, day="2026-10-04")  # fmt: skip

    assert sizes_of(frame, ZoneInfo("Australia/Lord_Howe")) == {"gpu02": 8}


def test_a_host_without_a_node_record_has_no_size_and_its_hours_are_told_apart() -> None:
    frame = capacity("""
        host   inventory    hour_start         capacity_unit_seconds
        gpu02  node record  2026-03-02T00:00Z  28800
        gpu09  none         2026-03-02T00:00Z  3600
    """)
    rows = "\n".join(f"r1  2026-03-02  {host}  w  batch  u  T  8  0  0  0  0  1  0" for host in ("gpu02", "gpu09"))

    held = all_states(
        states_by(with_node_sizes(measured_usage(f"{HEAD}\n{rows}").lazy(), node_sizes(frame, zone=UTC)), "team")
    )

    assert (held.held / 3600, held.node_held / 3600, held.unsized / 3600) == (16, 1, 8)


def test_hosts_whose_count_could_not_be_split_have_their_average() -> None:
    frame = capacity("""
        host        hour_start         capacity_unit_seconds
        gpu[02-03]  2026-03-02T00:00Z  57600
        gpu02       2026-03-02T01:00Z  28800
        gpu03       2026-03-02T01:00Z  28800
    """)
    row = "r1  2026-03-02  gpu[02-03]  w  batch  u  T  0  0  16  0  0  1  0"

    rated = with_node_sizes(measured_usage(f"{HEAD}\n{row}").lazy(), node_sizes(frame, zone=UTC)).collect()

    assert sizes_of(frame) == {"gpu02": 8, "gpu03": 8}
    states = all_states(states_by(rated, "team"))
    assert (states.node_held / 3600, states.node_active / 3600) == (2, 2)


def test_hosts_of_eight_and_of_four_held_whole_all_day_make_twenty_four_node_hours_each() -> None:
    frame = capacity("\n".join([
        "host   hour_start         capacity_unit_seconds",
        *(f"gpu02  2026-03-02T{hour:02d}:00Z  28800" for hour in range(24)),
        *(f"gpu03  2026-03-02T{hour:02d}:00Z  14400" for hour in range(24)),
    ]))  # fmt: skip
    rows = "\n".join([
        "a  2026-03-02  gpu02  w  batch  u  T  100  0  92  0  0  1  0",
        "b  2026-03-02  gpu03  w  batch  u  T  0  0  60  0  0  1  0",
        "c  2026-03-02  gpu03  w  batch  v  T  0  0  36  0  0  1  0",
    ])  # fmt: skip

    held = all_states(
        states_by(with_node_sizes(measured_usage(f"{HEAD}\n{rows}").lazy(), node_sizes(frame, zone=UTC)), "user")
    )

    assert held.node_held / 3600 == 48


def test_a_host_of_two_sizes_on_a_day_is_refused() -> None:
    rated = measured_usage(f"{HEAD}\nr1  2026-03-02  gpu01  w  batch  u  T  1  1  1  1  0  1  0")
    sizes = pl.DataFrame(
        [("k8s-b", "2026-03-02", "gpu01", gpus, 1) for gpus in (4, 8)], schema=NODE_SIZES, orient="row"
    )

    with pytest.raises(ValueError, match="two sizes on one day"):
        with_node_sizes(rated.lazy(), sizes)
