"""What held time did: exact sums in which every second has one state and is lost in at most one way."""

from fractions import Fraction

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.ledger.usage_states import all_states, by_loss, observed_share, states_by, with_losses
from tests.chargeback.ledger.measured_usage import MONTH, measured_usage

HEAD = MONTH.strip().splitlines()[0]


def hours(seconds: Fraction) -> Fraction:
    return seconds / 3600


def test_held_time_is_added_up_by_state_team_by_team() -> None:
    sums = states_by(measured_usage(), "team")

    vision = sums[("Vision",)]
    assert [hours(getattr(vision, state)) for state in ("held", "idle", "starved", "busy", "unmeasured")] == [
        3030, 455, 1010, 1480, 85,
    ]  # fmt: skip
    assert (hours(vision.active), hours(vision.consumed)) == (1480, 1184)
    assert hours(all_states(sums).held) == 3185


def test_unmeasured_time_is_neither_idle_nor_lost() -> None:
    (dark,) = states_by(measured_usage().filter(pl.col("run") == "u1"), "team").values()

    assert (hours(dark.unmeasured), dark.idle, dark.lost) == (70, 0, 0)


def test_time_after_the_end_of_its_job_is_lost_once_and_not_again_as_idle() -> None:
    (fit,) = states_by(measured_usage().filter(pl.col("run") == "r1"), "team").values()

    assert (hours(fit.lost_after_end), hours(fit.lost_idle), hours(fit.lost)) == (24, 6, 30)


def test_a_run_that_never_ran_lost_all_that_it_held_measured_or_not() -> None:
    (pull,) = states_by(measured_usage().filter(pl.col("run") == "p1"), "team").values()

    assert (hours(pull.lost_never_ran), pull.lost_idle, hours(pull.lost)) == (5, 0, 5)


def test_groups_are_ranked_by_lost_hours_and_never_by_a_percentage() -> None:
    order = [key[0] for key, _ in by_loss(states_by(measured_usage(), "workload"))]

    assert order[:3] == ["sweep-a", "Notebook/n9", "RayJob/fit"]  # the notebook was idle for 95 %, the sweep for 2 %


def test_coverage_is_the_part_of_held_time_that_telemetry_saw() -> None:
    sums = states_by(measured_usage(), "team")

    assert observed_share([sums[("NLP",)]]) == Fraction(83, 155)
    assert observed_share([]) is None


def test_a_group_without_a_name_is_told_under_an_empty_one() -> None:
    rated = measured_usage().with_columns(user=pl.when(pl.col("user") != "ana01").then("user"))

    assert hours(states_by(rated, "user")[("",)].held) == 2000


rows = st.lists(
    st.tuples(*(st.integers(0, 50) for _ in range(4)), st.integers(0, 120), st.sampled_from(["r1", "p1"])),
    min_size=1,
    max_size=6,
)


@given(rows=rows, thirds=st.integers(1, 3), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_every_held_second_has_one_state_is_lost_once_at_most_and_owners_share_it_without_a_rest(
    rows: list[tuple[int, int, int, int, int, str]], thirds: int, seed: int
) -> None:
    lines = [
        f"{run}  2026-03-02  gpu0{n}  w{n}  batch  u  T  {idle}  {starved}  {busy}  {dark}  {after}  1  0"
        for n, (idle, starved, busy, dark, after, run) in enumerate(rows)
    ]
    whole = measured_usage("\n".join([HEAD, *lines]))
    parts = [measured_usage("\n".join([HEAD, *lines]), part=part) for part in (f"{thirds}/4", f"{4 - thirds}/4")]

    total = all_states(states_by(whole, "team"))
    shuffled = all_states(states_by(whole.sample(fraction=1, shuffle=True, seed=seed), "team"))

    assert total.idle + total.starved + total.busy + total.unmeasured == total.held
    assert total.lost <= total.held
    assert total == shuffled == all_states(states_by(pl.concat(parts), "team"))


def test_no_row_loses_more_than_it_held_even_if_its_job_ended_before_it_began() -> None:
    row = "r1  2026-03-02  gpu01  w  batch  u  T  1  1  1  1  99  1  0"

    lost = with_losses(measured_usage(f"{HEAD}\n{row}").lazy()).collect().row(0, named=True)

    assert lost["lost_after_end_unit_milliseconds"] == 4 * 3_600_000
    assert lost["lost_idle_unit_milliseconds"] == lost["lost_starved_unit_milliseconds"] == 0
