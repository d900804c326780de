"""[calendar]: what may stand there, what is signed of it, and when the suspense falls due by it."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.signatures.maps import CALENDAR
from resources.calendar_settings import Calendar, read_calendar
from resources.due_dates import is_suspense_due, suspense_due_day
from resources.recovery_settings import read_recovery
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, demo_settings

GIVEN: dict[str, Any] = {
    "fiscal_year_first_month": 4,
    "weekend": ["sunday", "saturday"],
    "holidays": [date(2026, 12, 25), date(2026, 4, 6)],
}


def settings_with(folder: Path, *, days: int, calendar: Calendar) -> Settings:
    settings = demo_settings(folder)
    return replace(settings, policies=replace(settings.policies, suspense_due_days=days), calendar=calendar)


def test_a_calendar_is_read_in_one_order_and_its_default_maps_nothing() -> None:
    calendar = read_calendar({"calendar": GIVEN})

    assert calendar == Calendar(4, ("saturday", "sunday"), (date(2026, 4, 6), date(2026, 12, 25)))
    assert calendar.entries == {
        "fiscal_year_first_month": "4",
        "weekend": ["saturday", "sunday"],
        "holidays": ["2026-04-06", "2026-12-25"],
    }
    assert Calendar().entries == {}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"fiscal_year_first_month": 13}, "must be a month, 1 to 12"),
        ({"weekend": ["caturday"]}, "must be one of: monday"),
        ({"weekend": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]}, "whole week"),
        ({"holidays": ["2026-12-25"]}, "write dates without quotes"),
        ({"holidays": [datetime(2026, 12, 25, tzinfo=UTC)]}, "write dates without quotes"),
        ({"holiday": []}, "calendar.holiday"),
    ],
)
def test_what_is_no_calendar_is_one_sentence(given: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsRefused, match=why):
        read_calendar({"calendar": given})


def test_a_suspense_falls_due_on_the_day_after_its_term_or_the_next_that_is_worked(tmp_path: Path) -> None:
    easter = settings_with(tmp_path, days=5, calendar=read_calendar({"calendar": GIVEN}))
    plain = replace(easter, calendar=Calendar())
    march = BillingPeriod("2026-03", easter.zone)

    assert suspense_due_day(march, plain) == date(2026, 4, 6)
    assert suspense_due_day(march, easter) == date(2026, 4, 7)  # Easter Monday is a holiday
    assert not is_suspense_due(march, easter, at=datetime(2026, 4, 6, 21, 59, tzinfo=UTC))
    assert is_suspense_due(march, easter, at=datetime(2026, 4, 6, 22, tzinfo=UTC))  # midnight in Amsterdam
    assert is_suspense_due(march, easter)
    assert suspense_due_day(march, settings_with(tmp_path, days=0, calendar=Calendar())) is None
    assert not is_suspense_due(march, settings_with(tmp_path, days=0, calendar=Calendar()))


def test_the_calendar_is_a_map_of_the_settings_and_printed(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, days=0, calendar=read_calendar({"calendar": GIVEN}))

    assert [each.entry_count for each in settings.maps if each.name == CALENDAR] == [5]
    assert settings.printed_policies()["calendar.weekend"] == "saturday, sunday"
    assert settings.printed_policies()["corrections.threshold"] == "0"


def test_a_new_holiday_is_a_term_and_no_usage_so_no_day_is_made_or_judged_again(tmp_path: Path) -> None:
    plain = settings_with(tmp_path, days=0, calendar=Calendar())
    easter = replace(plain, calendar=read_calendar({"calendar": GIVEN}))

    assert easter.printed_policies() != plain.printed_policies()
    assert easter.usage_policies() == plain.usage_policies()
    assert easter.judged_under("held_once") == plain.judged_under("held_once")


def test_a_fiscal_year_where_it_stood_before_is_told_where_it_stands_now() -> None:
    with pytest.raises(SettingsRefused, match=r"recovery.fiscal_year_first_month stands in \[calendar\] now"):
        read_recovery({"recovery": {"fiscal_year_first_month": 4}})
