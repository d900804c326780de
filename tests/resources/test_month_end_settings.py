"""[month_end]: days are counted in days that are worked."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.working_days import WorkingDays
from resources.month_end_settings import MonthEnd, read_month_end
from resources.setting_kinds import SettingsRefused

OCTOBER = BillingPeriod("2026-10", ZoneInfo("UTC"))
WORKED = WorkingDays(("saturday", "sunday"), frozenset({date(2026, 11, 3)}))


def test_days_are_counted_in_days_that_are_worked() -> None:
    end = MonthEnd(cut_off_working_days=2, objection_working_days=3)

    assert end.cut_off(OCTOBER, WORKED) == date(2026, 11, 4)
    assert end.objections_until(OCTOBER, WORKED) == date(2026, 11, 9)
    assert end.cut_off(OCTOBER, WorkingDays()) == date(2026, 11, 2)


def test_no_days_at_all_are_the_months_last_day() -> None:
    assert MonthEnd(0, 0).objections_until(OCTOBER, WORKED) == date(2026, 10, 31)


@pytest.mark.parametrize("value", [61, 1000])
def test_an_impossible_number_of_days_is_told(value: int) -> None:
    with pytest.raises(SettingsRefused, match=r"month_end\.cut_off_working_days is .* it must be from 0 to 60"):
        read_month_end({"month_end": {"cut_off_working_days": value}})
