"""What is forgiven of a run: by end cause, by time, exactly, and never more than it held."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.charge_findings import completeness_findings, recompute_findings
from chargeback.ledger.charges import charge_lines, total_of
from chargeback.ledger.credit_findings import credit_findings
from chargeback.pricing.credits import NO_CREDITS, CreditPolicies
from tests.chargeback.worked_month import EUR, HOLDS, expected_lines, lines_as_text, rated_usage

ALL = CreditPolicies(platform_fault_cap_hours=24, preempted_minutes=60, suspended=True)


def forgiven(rated: pl.DataFrame) -> dict[tuple[str, str, str], Fraction]:
    """(kind, job, day) -> what is forgiven of it, in GPU-seconds or slice-seconds."""
    sums: dict[tuple[str, str, str], Fraction] = {}
    for row in rated.filter(pl.col("kind") != "allocation").iter_rows(named=True):
        key = (row["kind"], row["job_id"], row["day"])
        sums[key] = sums.get(key, Fraction(0)) - Fraction(row["quantity_numerator"], row["quantity_denominator"])
    return sums


def test_the_node_failure_of_the_worked_month_is_credited_in_full_and_no_other_line_moves() -> None:
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24))
    lines = charge_lines(rated, currency=EUR)

    given_back, others = lines.filter(pl.col("amount") < 0), lines.filter(pl.col("amount") >= 0)

    assert lines_as_text(given_back) == [
        (
            "Vision",
            "4711",
            "vis-01",
            "a100-sxm4-80gb",
            "standard",
            "credit-platform-fault",
            "-345600",
            "1.10",
            "-105.60",
        )
    ]
    assert lines_as_text(others) == expected_lines()
    assert total_of(lines) == Decimal("1385.32")
    assert RATED_USAGE.breaches(rated) == []


def test_by_default_nothing_is_forgiven() -> None:
    assert rated_usage(credit_policies=NO_CREDITS).equals(rated_usage())
    assert forgiven(rated_usage()) == {}


def test_a_credit_holds_nothing_so_that_hours_stay_what_they_were() -> None:
    before, after = rated_usage(), rated_usage(credit_policies=ALL)

    given_back = after.filter(pl.col("kind") != "allocation")

    assert after.filter(pl.col("kind") == "allocation").equals(before)
    assert given_back["gpu_seconds_numerator"].to_list() == [0] * len(given_back)
    assert given_back["unmeasured_unit_milliseconds"].to_list() == [0] * len(given_back)


def test_a_platform_fault_gives_back_the_last_hours_up_to_the_cap_on_every_host() -> None:
    two_hosts = """
    7  vision-lab  u1  standard  gpu01  h100-sxm5-80gb  8  1/1  2026-03-15T20:00:00Z  2026-03-16T04:00:00Z
    7  vision-lab  u1  standard  gpu02  h100-sxm5-80gb  8  1/1  2026-03-15T20:00:00Z  2026-03-16T04:00:00Z
    """

    rated = rated_usage(
        two_hosts, ended={"7": "platform fault"}, credit_policies=CreditPolicies(platform_fault_cap_hours=6)
    )

    # Midnight in Amsterdam is 23:00Z: six hours back from 04:00Z is 22:00Z, so an hour before it.
    assert forgiven(rated) == {
        ("credit-platform-fault", "7", "2026-03-15"): 3_600 * 16,
        ("credit-platform-fault", "7", "2026-03-16"): 18_000 * 16,
    }


def test_a_standard_run_that_was_preempted_gets_back_its_first_minutes_and_a_preemptible_one_nothing() -> None:
    runs = """
    7  vision-lab  u1  standard     gpu01  h100-sxm5-80gb  2  1/1  2026-03-15T20:00:00Z  2026-03-15T22:00:00Z
    8  vision-lab  u1  preemptible  gpu01  h100-sxm5-80gb  2  1/1  2026-03-15T20:00:00Z  2026-03-15T22:00:00Z
    9  vision-lab  u1  standard     gpu02  h100-sxm5-80gb  1  1/1  2026-03-15T20:00:00Z  2026-03-15T20:05:00Z
    """

    rated = rated_usage(
        runs, ended=dict.fromkeys(("7", "8", "9"), "preempted"), credit_policies=CreditPolicies(preempted_minutes=30)
    )

    assert forgiven(rated) == {
        ("credit-preempted", "7", "2026-03-15"): 1_800 * 2,
        ("credit-preempted", "9", "2026-03-15"): 300,
    }


@pytest.mark.parametrize("cause", ["timeout", "out of memory", "failed", "cancelled", "completed", "evicted"])
def test_nothing_is_forgiven_for_any_other_end(cause: str) -> None:
    rated = rated_usage(ended={"104": cause}, suspended={}, credit_policies=ALL)

    assert forgiven(rated) == {}


def test_suspended_time_is_spread_over_what_was_held_and_credited_where_the_policy_says_so() -> None:
    rated = rated_usage(credit_policies=CreditPolicies(suspended=True))
    lines = charge_lines(rated, currency=EUR)

    # Job 112: ten hours on two GPUs, four of them suspended.
    assert forgiven(rated) == {("credit-suspended", "112", "2026-03-25"): 28_800}
    assert lines.filter(pl.col("kind") == "credit-suspended")["amount"].to_list() == [Decimal("-8.80")]


def test_a_second_is_forgiven_once_the_fault_first_then_the_suspension_of_the_rest() -> None:
    run = "7  vision-lab  u1  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-15T08:00:00Z  2026-03-15T18:00:00Z"

    rated = rated_usage(
        run,
        ended={"7": "platform fault"},
        suspended={"7": 18_000},
        credit_policies=CreditPolicies(platform_fault_cap_hours=2, suspended=True),
    )

    # Two of ten hours for the fault; of the other eight half was suspended.
    assert forgiven(rated) == {
        ("credit-platform-fault", "7", "2026-03-15"): 7_200,
        ("credit-suspended", "7", "2026-03-15"): 14_400,
    }


def test_each_owner_of_a_shared_run_is_forgiven_its_own_part() -> None:
    rated = rated_usage(ended={"107": "platform fault"}, suspended={}, credit_policies=ALL)

    by_team = {row["team"]: Fraction(row["quantity_numerator"], row["quantity_denominator"])
               for row in rated.filter(pl.col("kind") != "allocation").iter_rows(named=True)}  # fmt: skip

    assert by_team == {"NLP": Fraction(-7202, 5), "Vision": Fraction(-10803, 5)}


@pytest.mark.parametrize(("until", "given_back"), [("2026-03-31T22:00:00Z", 36_000), ("2026-03-31T22:00:01Z", 0)])
@pytest.mark.parametrize("cause", ["platform fault", "preempted"])
def test_a_run_that_ended_after_the_month_is_not_credited_in_it_whatever_its_record_knows_by_now(
    cause: str, until: str, given_back: int
) -> None:
    run = f"7  vision-lab  u1  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-31T12:00:00Z  {until}"

    rated = rated_usage(run, ended={"7": cause}, suspended={}, credit_policies=CreditPolicies(24, 24 * 60))

    # March ends at 22:00Z in Amsterdam.
    assert sum(forgiven(rated).values()) == given_back


def test_usage_without_a_price_is_not_forgiven() -> None:
    unpriced = HOLDS.replace("a100-sxm4-80gb          8", "b200-sxm-180gb          8")

    assert (
        forgiven(rated_usage(unpriced, suspended={}, credit_policies=CreditPolicies(platform_fault_cap_hours=24))) == {}
    )


@given(
    st.lists(
        st.tuples(
            st.integers(1, 700_000), st.integers(1, 8), st.sampled_from(["platform fault", "preempted", "timeout"]),
            st.integers(0, 700_000),
        ), min_size=1, max_size=4,
    ),
    st.integers(0, 30), st.integers(0, 2_000), st.booleans(),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_credits_never_exceed_the_charge_and_the_total_is_charges_and_credits(
    runs: list[tuple[int, int, str, int]], cap: int, minutes: int, suspends: bool
) -> None:
    held = "\n".join(
        f"{number} vision-lab u1 standard gpu0{number} a100-sxm4-80gb {gpus} 1/1 2026-03-03T11:00:00Z {_after(seconds)}"
        for number, (seconds, gpus, _, _) in enumerate(runs)
    )
    why = {str(number): cause for number, (_, _, cause, _) in enumerate(runs)}
    stopped = {str(number): min(seconds, long) for number, (long, _, _, seconds) in enumerate(runs)}
    policies = CreditPolicies(platform_fault_cap_hours=cap, preempted_minutes=minutes, suspended=suspends)

    without = rated_usage(held, ended=why, suspended=stopped)
    rated = rated_usage(held, ended=why, suspended=stopped, credit_policies=policies)
    lines, before = charge_lines(rated, currency=EUR), charge_lines(without, currency=EUR)

    charges = lines.filter(pl.col("kind") == "allocation")
    given_back = lines.filter(pl.col("kind") != "allocation")
    assert charges.equals(before)
    assert credit_findings(rated) == []
    assert all(amount <= 0 for amount in given_back["amount"])
    assert -total_of(given_back) <= total_of(charges)
    assert total_of(lines) == total_of(charges) + total_of(given_back)
    assert recompute_findings(lines, rated, currency=EUR) == completeness_findings(lines, rated) == []


def _after(seconds: int) -> str:
    days, rest = divmod(seconds + 11 * 3600, 86_400)
    return f"2026-03-{3 + days:02d}T{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}Z"
