"""Capacity against a slow, obvious reference: look at every second of a small estate and ask who has each GPU."""

from collections import Counter
from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.capacity import STATES
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.runs import RUNS
from chargeback.usage.capacity import capacity_of_day
from tests.tables import a_table_of

GPUS = {"n1": 8, "n2": 2}
NODES = a_table_of(RAW_NODES, "NodeName  Gres\nn1  gpu:h100:8\nn2  gpu:h100:2")
STEP = 900
"""Spells begin and end at multiples of a quarter of an hour, so the reference looks at quarters, not at seconds."""

DAYS = st.sampled_from(
    [("UTC", "2026-03-10"), ("Europe/Amsterdam", "2026-03-29"), ("Europe/Amsterdam", "2026-10-25"),
     ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04")]
).map(lambda named: day_interval(named[1], ZoneInfo(named[0])))  # fmt: skip
HOSTS = st.sampled_from(sorted(GPUS))
QUARTERS = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(lambda pair: (min(pair), max(pair) + 1))
SPELLS = st.lists(st.tuples(HOSTS, QUARTERS), max_size=3)
HELD = st.lists(st.tuples(HOSTS, QUARTERS, st.integers(1, 3)), max_size=6)


def frame_of(contract_columns: list[dict[str, object]], empty: pl.DataFrame) -> pl.DataFrame:
    """Rows as a frame of a contract: what they leave out is a harmless filler."""
    blank = {name: ("" if dtype == pl.String else False if dtype == pl.Boolean else None)
             for name, dtype in empty.schema.items()}  # fmt: skip
    return pl.DataFrame([{**blank, **row} for row in contract_columns], schema=empty.schema)


def cut(quarters: tuple[int, int], day: Interval) -> tuple[int, int]:
    """The quarters in seconds of the day."""
    return min(quarters[0] * STEP, day.seconds), min(quarters[1] * STEP, day.seconds)


def holds_of(held: list[tuple[str, tuple[int, int], int]], day: Interval) -> pl.DataFrame:
    """The holds; those that fall out of the day are left out."""
    rows: list[dict[str, object]] = []
    for at, (host, quarters, count) in enumerate(held):
        begins, ends = cut(quarters, day)
        if begins < ends:
            rows.append({
                "run": str(at), "host": host, "accelerator": "h100", "sharing": "whole", "split": "one host",
                "held_from": day.start + timedelta(seconds=begins), "held_until": day.start + timedelta(seconds=ends),
                "device_count": count, "share_units": 1, "units_per_gpu": 1,
            })  # fmt: skip
    return frame_of(rows, HOLDS.empty())


def measured(day: Interval, held: pl.DataFrame, **spells: list[tuple[str, tuple[int, int]]]) -> pl.DataFrame:
    """capacity_of_day of the estate."""
    at = [(kind, host, *(day.start + timedelta(seconds=s) for s in cut(quarters, day)))
          for kind, found in spells.items() for host, quarters in found]  # fmt: skip
    events = [{"NodeName": host, "TimeStart": begins, "TimeEnd": ends, "State": "DOWN"}
              for kind, host, begins, ends in at if kind == "unplanned"]  # fmt: skip
    reservations = [
        {"NodeNames": host, "TimeStart": begins, "TimeEnd": ends, "Flags": "MAINT" if kind == "planned" else ""}
        for kind, host, begins, ends in at if kind in ("planned", "reserved")
    ]  # fmt: skip
    runs = [
        {"hosts": host, "started": begins, "observed_until": ends, "is_exclusive": kind == "exclusive",
         "gpu_count_basis": "unknown" if kind == "unknown" else "recorded"}
        for kind, host, begins, ends in at if kind in ("exclusive", "unknown")
    ]  # fmt: skip
    return capacity_of_day(
        NODES, frame_of(events, RAW_EVENTS.empty()), frame_of(reservations, RAW_RESERVATIONS.empty()),
        frame_of(runs, RUNS.empty()), held, cluster="c", day="d", interval=day, aliases={},
    )  # fmt: skip


def looked_at_one_by_one(
    day: Interval, held: list[tuple[str, tuple[int, int], int]], **spells: list[tuple[str, tuple[int, int]]]
) -> Counter[tuple[int, str, str]]:
    """hour, host, state -> GPU-seconds, by looking at every GPU in every quarter of an hour."""
    precedence = ("planned", "unplanned", "reserved", "exclusive", "unknown")
    name_of = dict(zip(precedence, STATES[1:-1], strict=True))
    found: Counter[tuple[int, str, str]] = Counter()
    for quarter in range(-(-day.seconds // STEP)):
        length = min(STEP, day.seconds - quarter * STEP)
        for host, gpus in GPUS.items():
            taken = sum(count for on, (a, b), count in held if on == host and a <= quarter < b)
            lasting = [kind for kind in precedence
                       for on, (a, b) in spells.get(kind, []) if on == host and a <= quarter < b]  # fmt: skip
            rest = name_of[lasting[0]] if lasting else "unallocated"
            for gpu in range(max(gpus, taken)):
                state = "overcommitted" if gpu >= gpus else "held" if gpu < taken else rest
                found[quarter * STEP // 3600, host, state] += length
    return found


@settings(max_examples=30, deadline=None)
@given(day=DAYS, held=HELD, planned=SPELLS, unplanned=SPELLS, reserved=SPELLS, exclusive=SPELLS, unknown=SPELLS)
def test_every_second_of_every_gpu_is_where_a_look_at_each_of_them_finds_it(
    day: Interval,
    held: list[tuple[str, tuple[int, int], int]],
    planned: list[tuple[str, tuple[int, int]]],
    unplanned: list[tuple[str, tuple[int, int]]],
    reserved: list[tuple[str, tuple[int, int]]],
    exclusive: list[tuple[str, tuple[int, int]]],
    unknown: list[tuple[str, tuple[int, int]]],
) -> None:
    spells = {"planned": planned, "unplanned": unplanned, "reserved": reserved, "exclusive": exclusive,
              "unknown": unknown}  # fmt: skip

    capacity = measured(day, holds_of(held, day), **spells)

    expected = looked_at_one_by_one(day, held, **spells)
    observed: Counter[tuple[int, str, str]] = Counter()
    for row in capacity.iter_rows(named=True):
        hour = int((row["hour_start"] - day.start).total_seconds()) // 3600
        for state in (*STATES, "overcommitted"):
            observed[hour, row["host"], state] += row[f"{state}_unit_seconds"]
    assert +observed == +expected
    assert capacity["capacity_unit_seconds"].sum() == sum(GPUS.values()) * day.seconds


@settings(max_examples=20, deadline=None)
@given(day=DAYS, held=HELD, at=st.integers(1, 99), order=st.randoms(use_true_random=False))
def test_splitting_a_hold_and_turning_the_rows_over_changes_nothing(
    day: Interval, held: list[tuple[str, tuple[int, int], int]], at: int, order: Random
) -> None:
    split = [(host, part, count) for host, (a, b), count in held
             for part in ([(a, at), (at, b)] if a < at < b else [(a, b)])]  # fmt: skip
    order.shuffle(split)

    assert measured(day, holds_of(split, day)).equals(measured(day, holds_of(held, day)))


@settings(max_examples=20, deadline=None)
@given(day=DAYS, quarters=QUARTERS, count=st.integers(1, 10), own=HELD)
def test_a_count_that_could_not_be_split_is_conserved_over_its_hosts(
    day: Interval, quarters: tuple[int, int], count: int, own: list[tuple[str, tuple[int, int], int]]
) -> None:
    together = holds_of([("n[1-2]", quarters, count)], day).with_columns(split=pl.lit("not split"))

    capacity = measured(day, pl.concat([together, holds_of(own, day)]))

    begins, ends = cut(quarters, day)
    own_seconds = sum(c * (cut(q, day)[1] - cut(q, day)[0]) for _, q, c in own)
    held_seconds = capacity["held_unit_seconds"].sum() + capacity["overcommitted_unit_seconds"].sum()
    assert held_seconds == count * (ends - begins) + own_seconds
    assert capacity["capacity_unit_seconds"].sum() == sum(GPUS.values()) * day.seconds
    assert capacity.filter(
        pl.sum_horizontal(f"{s}_unit_seconds" for s in STATES) != pl.col("capacity_unit_seconds")
    ).is_empty()
