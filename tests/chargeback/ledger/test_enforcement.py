"""When a month may be charged: after a whole month that was signed off, once everybody has signed, and not before."""

from fractions import Fraction

import pytest

from chargeback.ledger.enforcement import MonthBefore, Readiness, why_not_enforced

READY = Readiness((), {}, {"2026-11": Fraction(96, 100)})
SIGNED_OFF = MonthBefore("2026-10", is_whole=True, was_enforced=False)


def why(*before: MonthBefore, ready: Readiness = READY, wanted: bool = True) -> tuple[str, ...]:
    return why_not_enforced("2026-11", before, ready, wanted=wanted, least_coverage=Fraction(95, 100))


def test_the_month_after_a_whole_one_that_was_signed_off_is_charged() -> None:
    assert why(SIGNED_OFF) == ()


def test_a_month_after_a_charged_one_is_charged() -> None:
    assert why(MonthBefore("2026-10", is_whole=True, was_enforced=True, why_not_signed_off=("nobody signed",))) == ()


def test_the_first_month_of_a_lake_runs_in_parallel() -> None:
    assert why() == ("2026-11 is the first month of this lake: a whole month runs in parallel first",)


def test_a_partial_month_cannot_be_the_one() -> None:
    assert why(MonthBefore("2026-10", is_whole=False, was_enforced=False)) == (
        "2026-11: 2026-10 is no whole month of this lake, so it cannot be signed off",
    )


def test_a_failed_month_starts_the_count_again_whatever_came_before_it() -> None:
    failed = MonthBefore("2026-10", is_whole=True, was_enforced=False, why_not_signed_off=("6.1 % is unexplained",))

    assert why(MonthBefore("2026-09", is_whole=True, was_enforced=False), failed) == (
        "2026-11: 2026-10 is not signed off: 6.1 % is unexplained",
    )


def test_the_settings_alone_keep_a_month_in_parallel() -> None:
    (reason,) = why(SIGNED_OFF, wanted=False)

    assert reason == '2026-11 runs in parallel: [billing] mode = "parallel" in chargeback.toml'


@pytest.mark.parametrize(
    ("ready", "reason"),
    [
        (Readiness(("nobody has signed",)), "2026-11: there is no sponsor: nobody has signed"),
        (
            Readiness((), {"4711": ("nobody has signed",)}),
            "2026-11: cost centre 4711 has not accepted to be charged: nobody has signed",
        ),
        (
            Readiness((), {}, {"2026-10": Fraction(80, 100), "2026-11": Fraction(9499, 10000)}),
            "2026-11: 94.9 % of the charged hours name a project, must be 95.0 % (2026-10 80.0 %, 2026-11 94.9 %)",
        ),
    ],
)
def test_each_thing_that_is_missing_is_told(ready: Readiness, reason: str) -> None:
    assert why(SIGNED_OFF, ready=ready) == (reason,)


def test_all_that_is_missing_is_told_at_once() -> None:
    missing = Readiness(("no",), {"A": ("no",), "B": ("no",)}, {"2026-11": Fraction(0)})

    assert len(why(ready=missing)) == 5


def test_a_month_in_which_nothing_was_charged_has_no_coverage_to_miss() -> None:
    assert why(SIGNED_OFF, ready=Readiness(())) == ()
