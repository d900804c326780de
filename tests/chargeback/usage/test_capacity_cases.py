"""Cases that other tools got wrong, on capacity: shards and MPS, declared and actual time, node and GPU."""

from fractions import Fraction
from zoneinfo import ZoneInfo

from tests.slurm_estate import DayTables, SlurmEstate
from tests.tables import CASES, instant

UTC = ZoneInfo("UTC")


def day_of_case(case: str) -> DayTables:
    """The tables of 3 July 2026 out of the case's records."""
    landed = instant("2026-07-04T02:00Z")
    objects = [
        ("slurm/sacct", landed, (CASES / case / "sacct.psv").read_bytes()),
        ("slurm/nodes", landed, (CASES / case / "nodes.txt").read_bytes()),
    ]
    return SlurmEstate(objects, UTC, UTC, {}, "c1").day("2026-07-03")


def gpu_hours(tables: DayTables, state: str, *, host: str, hour: int = 9) -> Fraction:
    """GPU-hours of a host in a state in one hour."""
    of = tables.capacity.filter(host=host).row(hour, named=True)
    return Fraction(of[f"{state}_unit_seconds"], of["units_per_gpu"] * 3600)


def test_s27_forty_of_eighty_shards_are_half_a_gpu_and_twenty_five_mps_a_quarter() -> None:
    tables = day_of_case("S27")

    assert gpu_hours(tables, "held", host="dgx-spark") == Fraction(1, 2)
    assert gpu_hours(tables, "unallocated", host="dgx-spark") == Fraction(1, 2)
    assert gpu_hours(tables, "held", host="w1") == Fraction(1, 4)
    assert gpu_hours(tables, "capacity", host="w1") == 1


def test_s28_four_runs_of_eight_gpus_held_what_they_ran_and_not_what_they_declared() -> None:
    tables = day_of_case("S28")

    assert gpu_hours(tables, "held", host="gpu02") == 1
    assert gpu_hours(tables, "unallocated", host="gpu02") == 7


def test_s29_three_one_gpu_jobs_on_eight_gpus_are_three_held_and_five_unallocated() -> None:
    tables = day_of_case("S29")

    assert gpu_hours(tables, "held", host="gpu02") == 3
    assert gpu_hours(tables, "unallocated", host="gpu02") == 5
    assert gpu_hours(tables, "capacity", host="gpu02") == 8
