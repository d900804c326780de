"""The company's calendar: a term never ends on a day that nobody works."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.working_days import WEEKDAYS, WorkingDays

CHRISTMAS = WorkingDays(("saturday", "sunday"), frozenset({date(2026, 12, 25), date(2026, 12, 28)}))


@pytest.mark.parametrize(
    ("day", "worked"),
    [("2026-12-24", "2026-12-24"), ("2026-12-25", "2026-12-29"), ("2026-12-26", "2026-12-29"),
     ("2027-01-02", "2027-01-04")],
)  # fmt: skip
def test_a_term_ends_on_the_next_day_that_is_worked(day: str, worked: str) -> None:
    assert CHRISTMAS.on_or_after(date.fromisoformat(day)) == date.fromisoformat(worked)


def test_three_working_days_after_a_thursday_are_the_tuesday_and_over_christmas_more() -> None:
    weekend = WorkingDays(("saturday", "sunday"))

    assert weekend.after(date(2026, 12, 3), days=3) == date(2026, 12, 8)
    assert CHRISTMAS.after(date(2026, 12, 23), days=3) == date(2026, 12, 30)
    assert WorkingDays().after(date(2026, 12, 3), days=3) == date(2026, 12, 6)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.sets(st.sampled_from(WEEKDAYS), max_size=6))
def test_the_day_found_is_worked_and_none_before_it_is(day: date, weekend: set[str]) -> None:
    days = WorkingDays(sorted(weekend))

    found = days.on_or_after(day)

    assert days.is_worked(found)
    assert 0 <= (found - day).days <= 6
    assert days.on_or_after(found) == found


def test_a_week_without_a_working_day_is_refused() -> None:
    with pytest.raises(ValueError, match="every day of the week is weekend"):
        WorkingDays(WEEKDAYS)
