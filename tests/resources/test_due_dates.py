"""Whether something is due, by the one clock that decides it."""

from datetime import UTC, datetime

from resources.due_dates import due_at, is_due


def test_what_lies_far_back_is_due_and_what_lies_far_ahead_is_not() -> None:
    assert is_due(datetime(2000, 1, 1, tzinfo=UTC), days=1)
    assert not is_due(datetime(9000, 1, 1, tzinfo=UTC), days=1)


def test_with_no_days_nothing_ever_falls_due() -> None:
    assert not is_due(datetime(2000, 1, 1, tzinfo=UTC), days=0)


def test_a_month_falls_due_so_many_days_after_its_end_to_the_second() -> None:
    assert due_at(datetime(2026, 9, 30, 22, tzinfo=UTC), days=36) == datetime(2026, 11, 5, 22, tzinfo=UTC)
