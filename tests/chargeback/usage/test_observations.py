"""The day fold depends on the set of observations only, and keeps the earliest that says what the last one says."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from chargeback.contracts.contract import INSTANT
from chargeback.usage.observations import fold_observations

FIRST = datetime(2026, 10, 5, tzinfo=UTC)
SCHEMA = {
    "job": pl.String,
    "count": pl.Int64,
    "is_final": pl.Boolean,
    "object": pl.String,
    "line": pl.Int64,
    "extracted_at": INSTANT,
}


def observations(*rows: tuple[str, int | None, bool, int, str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [(job, count, final, obj, line, FIRST + timedelta(hours=hour)) for job, count, final, hour, obj, line in rows],
        schema=SCHEMA,
        orient="row",
    )


def fold(frame: pl.DataFrame) -> pl.DataFrame:
    return fold_observations(frame, key=["job"], facts=["count"], final=pl.col("is_final"))


def test_the_latest_observation_counts() -> None:
    frame = observations(("1", 4, False, 0, "a", 1), ("1", 8, False, 1, "b", 1))

    kept = fold(frame)

    assert kept.select("count", "object").rows() == [(8, "b")]


def test_a_final_state_outranks_a_later_running_one() -> None:
    frame = observations(("1", 4, True, 0, "a", 1), ("1", 8, False, 1, "b", 1))

    kept = fold(frame)

    assert kept["object"].to_list() == ["a"]


def test_an_overlapping_extract_that_says_the_same_changes_no_byte() -> None:
    once = observations(("1", 4, True, 0, "a", 1))
    twice = observations(("1", 4, True, 0, "a", 1), ("1", 4, True, 5, "b", 7))

    assert fold(twice).equals(fold(once))


def test_a_fact_that_came_back_is_kept_from_where_it_came_back() -> None:
    frame = observations(("1", 4, False, 0, "a", 1), ("1", None, False, 1, "b", 1), ("1", 4, False, 2, "c", 1))

    kept = fold(frame)

    assert kept["object"].to_list() == ["c"]


rows = st.lists(
    st.tuples(
        st.sampled_from(["1", "2"]),
        st.sampled_from([None, 4, 8]),
        st.booleans(),
        st.integers(0, 5),
        st.sampled_from(["a", "b", "c"]),
        st.integers(1, 3),
    ),
    unique_by=lambda row: (row[4], row[5]),
)


@given(rows=rows, shuffled=st.randoms(use_true_random=False))
def test_the_order_in_which_observations_arrive_changes_nothing(rows: list, shuffled) -> None:
    mixed = list(rows)
    shuffled.shuffle(mixed)

    assert fold(observations(*mixed)).equals(fold(observations(*rows)))


@given(rows=rows)
def test_folding_what_was_folded_changes_nothing(rows: list) -> None:
    once = fold(observations(*rows))

    assert fold(once).equals(once)
