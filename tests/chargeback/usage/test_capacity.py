"""Capacity: each second of each GPU in one state, by precedence, adding up."""

from fractions import Fraction

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.runs import RUNS
from chargeback.usage.capacity import capacity_of_day
from tests.tables import a_table_of, instant

DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))
ALIASES = {"h100": "h100-sxm5-80gb", "a100": "a100-sxm4-80gb"}
NO_HOLDS = HOLDS.empty()
ONE_HOST = {"split": "one host", "units_per_gpu": 1, "share_units": 1, "sharing": "whole"}


def capacity(
    nodes: pl.DataFrame,
    holds: pl.DataFrame = NO_HOLDS,
    *,
    events: pl.DataFrame | None = None,
    reservations: pl.DataFrame | None = None,
    runs: pl.DataFrame | None = None,
    interval: Interval = DAY,
) -> pl.DataFrame:
    """The capacity of the day, checked against its contract and for adding up."""
    found = capacity_of_day(
        nodes,
        RAW_EVENTS.empty() if events is None else events,
        RAW_RESERVATIONS.empty() if reservations is None else reservations,
        RUNS.empty() if runs is None else runs,
        holds,
        cluster="slurm-a",
        day="2026-03-10",
        interval=interval,
        aliases=ALIASES,
    )
    assert CAPACITY.breaches(found) == []
    states = pl.sum_horizontal(f"{state}_unit_seconds" for state in STATES)
    assert found.filter(states != pl.col("capacity_unit_seconds")).is_empty()
    return found


def gpu_seconds(found: pl.DataFrame, state: str, accelerator: str | None = None) -> Fraction:
    """GPU-seconds of the day in a state, exact."""
    of = found if accelerator is None else found.filter(pl.col("accelerator") == accelerator)
    rows = of.select(f"{state}_unit_seconds", "units_per_gpu").iter_rows()
    return sum((Fraction(seconds, units) for seconds, units in rows), Fraction(0))


def test_three_one_gpu_jobs_on_an_eight_gpu_node_leave_five_gpu_hours_unallocated() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu02  gpu:8")
    hour = Interval(DAY.start, instant("2026-03-10T01:00Z"))
    holds = a_table_of(HOLDS, """
        run  host   accelerator  held_from          held_until         device_count
        1    gpu02  untyped      2026-03-10T00:00Z  2026-03-10T01:00Z  1
        2    gpu02  untyped      2026-03-10T00:00Z  2026-03-10T01:00Z  1
        3    gpu02  untyped      2026-03-10T00:00Z  2026-03-10T01:00Z  1
    """, **ONE_HOST)  # fmt: skip

    found = capacity(nodes, holds, interval=hour)

    assert gpu_seconds(found, "capacity") == 8 * 3600
    assert gpu_seconds(found, "held") == 3 * 3600
    assert gpu_seconds(found, "unallocated") == 5 * 3600


def test_a_drained_node_is_out_of_service_only_where_nobody_holds_it() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8")
    events = a_table_of(
        RAW_EVENTS,
        """
        NodeName  TimeStart          TimeEnd            State
        gpu01     2026-03-10T00:30Z  2026-03-10T01:30Z  DRAIN
    """,
    )
    holds = a_table_of(HOLDS, """
        run  host   accelerator     held_from          held_until         device_count
        1    gpu01  h100-sxm5-80gb  2026-03-10T00:00Z  2026-03-10T00:45Z  3
    """, **ONE_HOST)  # fmt: skip

    found = capacity(nodes, holds, events=events)

    assert found["out_of_service_unplanned_unit_seconds"].to_list()[:3] == [5 * 900 + 8 * 900, 8 * 1800, 0]
    assert gpu_seconds(found, "held") == 3 * 2700
    assert gpu_seconds(found, "capacity") == 8 * 86_400


def test_maintenance_reboots_and_powered_down_hosts_are_planned_and_an_event_that_goes_on_holds_all_day() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\na  gpu:1\nb  gpu:1\nc  gpu:1\nd  gpu:1")
    events = a_table_of(
        RAW_EVENTS,
        """
        NodeName  TimeStart          TimeEnd  State
        a         2026-03-10T12:00Z  -        MAINT
        b         2026-03-10T12:00Z  -        REBOOT
        c         2026-03-09T12:00Z  -        POWERED_DOWN
        d         2026-03-10T12:00Z  -        DOWN
    """,
    )

    found = capacity(nodes, events=events)

    assert gpu_seconds(found, "out_of_service_planned") == 43_200 + 43_200 + 86_400
    assert gpu_seconds(found, "out_of_service_unplanned") == 43_200


def test_a_maintenance_reservation_is_planned_downtime_and_any_other_is_reserved_unused_where_nobody_holds() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8\ngpu02  gpu:h100:8")
    reservations = a_table_of(
        RAW_RESERVATIONS,
        """
        Name   TimeStart          TimeEnd            NodeNames    Flags
        maint  2026-03-10T10:00Z  2026-03-10T11:00Z  gpu[01-02]   MAINT,IGNORE_JOBS
        class  2026-03-10T12:00Z  2026-03-10T14:00Z  gpu01        SPEC_NODES
        hosts  2026-03-10T00:00Z  2026-03-11T00:00Z  -            -
    """,
    )
    holds = a_table_of(HOLDS, """
        run  host   accelerator     held_from          held_until         device_count
        1    gpu01  h100-sxm5-80gb  2026-03-10T12:00Z  2026-03-10T13:00Z  6
    """, **ONE_HOST)  # fmt: skip

    found = capacity(nodes, holds, reservations=reservations)

    assert gpu_seconds(found, "out_of_service_planned") == 16 * 3600
    assert gpu_seconds(found, "reserved_unused") == 2 * 3600 + 8 * 3600


def test_what_is_reserved_and_unused_names_its_reservation_and_several_at_once_name_none() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8\ngpu02  gpu:h100:8")
    reservations = a_table_of(
        RAW_RESERVATIONS,
        """
        Name     TimeStart          TimeEnd            NodeNames
        class    2026-03-10T12:00Z  2026-03-10T12:30Z  gpu01
        release  2026-03-10T12:30Z  2026-03-10T14:00Z  gpu01
        overlap  2026-03-10T13:30Z  2026-03-10T14:00Z  gpu[01-02]
    """,
    )

    found = capacity(nodes, reservations=reservations)

    said = found.filter(pl.col("reserved_unused_unit_seconds") > 0)
    assert said.select("host", "reserved_unused_by").rows() == [
        ("gpu01", '{"class":14400,"release":14400}'),
        ("gpu01", '{"":14400,"release":14400}'),
        ("gpu02", '{"overlap":14400}'),
    ]
    assert found.filter(pl.col("reserved_unused_unit_seconds") == 0)["reserved_unused_by"].null_count() == 45


def test_hosts_that_share_a_count_which_could_not_be_split_keep_the_name_of_their_one_reservation() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8\ngpu02  gpu:h100:8")
    reservations = a_table_of(
        RAW_RESERVATIONS,
        """
        Name   TimeStart          TimeEnd            NodeNames
        class  2026-03-10T12:00Z  2026-03-10T13:00Z  gpu[01-02]
    """,
    )
    holds = a_table_of(HOLDS, """
        run  host        accelerator     held_from          held_until         device_count  split
        1    gpu[01-02]  h100-sxm5-80gb  2026-03-10T12:00Z  2026-03-10T13:00Z  5             not split
    """, **{**ONE_HOST, "split": "not split"})  # fmt: skip

    found = capacity(nodes, holds, reservations=reservations)

    said = found.filter(pl.col("reserved_unused_unit_seconds") > 0)
    assert said.select("host", "reserved_unused_by").rows() == [("gpu[01-02]", '{"class":39600}')]


def test_the_rest_of_a_node_that_a_run_has_to_itself_is_blocked() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8")
    runs = a_table_of(
        RUNS,
        """
        run  hosts  started            observed_until     is_exclusive  gpu_count  gpu_count_basis
        1    gpu01  2026-03-10T10:00Z  2026-03-10T11:00Z  true          2          recorded
    """,
    )
    holds = a_table_of(HOLDS, """
        run  host   accelerator     held_from          held_until         device_count
        1    gpu01  h100-sxm5-80gb  2026-03-10T10:00Z  2026-03-10T11:00Z  2
    """, **ONE_HOST)  # fmt: skip

    found = capacity(nodes, holds, runs=runs)

    assert gpu_seconds(found, "blocked") == 6 * 3600
    assert gpu_seconds(found, "held") == 2 * 3600


def test_while_a_run_of_unknown_count_is_on_a_node_nothing_there_is_called_unallocated() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8\ngpu02  gpu:h100:8")
    runs = a_table_of(
        RUNS,
        """
        run  hosts  started            observed_until     is_exclusive  gpu_count  gpu_count_basis
        1    gpu01  2026-03-10T10:00Z  2026-03-10T11:00Z  true          -          unknown
    """,
    )

    found = capacity(nodes, runs=runs)

    assert gpu_seconds(found, "unknown") == 8 * 3600
    assert gpu_seconds(found, "unallocated") == 16 * 86_400 - 8 * 3600


def test_two_slices_of_three_sevenths_leave_a_seventh_of_the_gpu_blocked_for_good() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu04  gpu:a100_3g.40gb:2")
    holds = a_table_of(HOLDS, """
        run  host   accelerator             sharing  held_from          held_until         share_units  units_per_gpu
        1    gpu04  a100-sxm4-80gb:3g.40gb  mig      2026-03-10T00:00Z  2026-03-11T00:00Z  3            7
    """, split="one host", device_count=1)  # fmt: skip

    found = capacity(nodes, holds)

    assert gpu_seconds(found, "capacity") == 86_400
    assert gpu_seconds(found, "held") == Fraction(3 * 86_400, 7)
    assert gpu_seconds(found, "blocked") == Fraction(86_400, 7)
    assert gpu_seconds(found, "unallocated") == Fraction(3 * 86_400, 7)


def test_shards_and_whole_gpus_of_a_host_share_one_row_in_the_finer_unit() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ndgx  gpu:gb10:2,shard:gb10:160")
    holds = a_table_of(HOLDS, """
        run  host  accelerator  sharing  held_from          held_until         device_count  share_units  units_per_gpu
        1    dgx   gb10         shard    2026-03-10T00:00Z  2026-03-10T01:00Z  40            1            80
        2    dgx   gb10         whole    2026-03-10T00:00Z  2026-03-10T01:00Z  1             1            1
    """, split="one host")  # fmt: skip

    first = capacity(nodes, holds).row(0, named=True)

    assert first["units_per_gpu"] == 80
    assert first["capacity_unit_seconds"] == 160 * 3600
    assert first["held_unit_seconds"] == (40 + 80) * 3600


def test_a_host_without_a_node_record_has_as_much_capacity_as_was_held() -> None:
    holds = a_table_of(HOLDS, """
        run  host   accelerator  held_from          held_until         device_count
        1    gpu09  a100         2026-03-10T00:30Z  2026-03-10T01:30Z  4
    """, **ONE_HOST)  # fmt: skip

    found = capacity(RAW_NODES.empty(), holds)

    assert found["inventory"].to_list() == ["none", "none"]
    assert found["capacity_unit_seconds"].to_list() == [4 * 1800, 4 * 1800]
    assert found["held_unit_seconds"].to_list() == [4 * 1800, 4 * 1800]


def test_what_is_held_beyond_capacity_is_a_finding_and_the_states_still_add_up() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\ngpu01  gpu:h100:8")
    holds = a_table_of(HOLDS, """
        run  host   accelerator     held_from          held_until         device_count
        1    gpu01  h100-sxm5-80gb  2026-03-10T00:00Z  2026-03-10T01:00Z  8
        2    gpu01  h100-sxm5-80gb  2026-03-10T00:30Z  2026-03-10T01:00Z  1
    """, **ONE_HOST)  # fmt: skip

    first = capacity(nodes, holds).row(0, named=True)

    assert first["held_unit_seconds"] == 8 * 3600
    assert first["overcommitted_unit_seconds"] == 1800


def test_hosts_of_a_count_that_could_not_be_split_are_one_row_in_the_hours_that_it_touches() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\nn1  gpu:h100:8\nn2  gpu:h100:8\nn3  gpu:h100:8\nn4  gpu:h100:8")
    holds = a_table_of(HOLDS, """
        run  host     split      accelerator     held_from          held_until         device_count
        1    n[1-2]   not split  h100-sxm5-80gb  2026-03-10T00:30Z  2026-03-10T01:30Z  5
        2    n[2-3]   not split  h100-sxm5-80gb  2026-03-10T01:00Z  2026-03-10T01:10Z  3
        3    n1       one host   h100-sxm5-80gb  2026-03-10T00:00Z  2026-03-10T02:00Z  4
    """, units_per_gpu=1, share_units=1, sharing="whole")  # fmt: skip

    found = capacity(nodes, holds)
    by_hour = found.group_by("hour_start", maintain_order=True).agg("host")

    assert by_hour["host"].to_list()[:3] == [["n3", "n4", "n[1-2]"], ["n4", "n[1-3]"], ["n1", "n2", "n3", "n4"]]
    assert gpu_seconds(found, "capacity") == 32 * 86_400
    assert gpu_seconds(found, "held") == 5 * 3600 + 3 * 600 + 4 * 7200
    assert gpu_seconds(found, "overcommitted") == 0


def test_in_a_set_of_hosts_the_shared_count_takes_what_was_free_before_what_was_out_of_service() -> None:
    nodes = a_table_of(RAW_NODES, "NodeName  Gres\nn1  gpu:h100:8\nn2  gpu:h100:8")
    events = a_table_of(
        RAW_EVENTS,
        """
        NodeName  TimeStart          TimeEnd            State
        n1        2026-03-10T00:00Z  2026-03-10T01:00Z  DRAIN
    """,
    )
    holds = a_table_of(HOLDS, """
        run  host    accelerator     held_from          held_until         device_count
        1    n[1-2]  h100-sxm5-80gb  2026-03-10T00:00Z  2026-03-10T01:00Z  5
    """, split="not split", units_per_gpu=1, share_units=1, sharing="whole")  # fmt: skip

    first = capacity(nodes, holds, events=events).row(0, named=True)

    assert first["held_unit_seconds"] == 5 * 3600
    assert first["out_of_service_unplanned_unit_seconds"] == 8 * 3600
    assert first["unallocated_unit_seconds"] == 3 * 3600
