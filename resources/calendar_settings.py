"""[calendar] of chargeback.toml: when finance's year begins, and which days are worked. It is a map: finance signs it.

Not here: what it does (chargeback/working_days.py, chargeback/ledger/fiscal_year.py), whether it is signed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from chargeback.working_days import WEEKDAYS, WorkingDays
from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit


@dataclass(frozen=True, slots=True)
class Calendar:
    """`fiscal_year_first_month` is 1 to 12; `weekend` names days of the week, `holidays` dates; both may be empty."""

    fiscal_year_first_month: int = 1
    weekend: tuple[str, ...] = ()
    holidays: tuple[date, ...] = ()

    @property
    def working_days(self) -> WorkingDays:
        """Days on which a term may end."""
        return WorkingDays(self.weekend, frozenset(self.holidays))

    @property
    def entries(self) -> Mapping[str, object]:
        """What is signed of it: nothing where it is the default, which decides nothing."""
        first = str(self.fiscal_year_first_month) if self.fiscal_year_first_month != 1 else ""
        named = {
            "fiscal_year_first_month": first,
            "weekend": list(self.weekend),
            "holidays": [day.isoformat() for day in self.holidays],
        }
        return {name: value for name, value in named.items() if value}


def read_calendar(read: Mapping[str, Any]) -> Calendar:
    """[calendar]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("calendar", {})
    refuse_unfit(section, {"fiscal_year_first_month": int, "weekend": list, "holidays": list}, "calendar.")
    first_month = section.get("fiscal_year_first_month", 1)
    if not 1 <= first_month <= 12:
        raise SettingsRefused(f"calendar.fiscal_year_first_month is {first_month}; it must be a month, 1 to 12")
    for day in section.get("weekend", []):
        one_of(day, WEEKDAYS, "calendar.weekend")
    for day in section.get("holidays", []):
        if type(day) is not date:
            raise SettingsRefused(f"calendar.holidays names {day!r}; write dates without quotes, 2026-12-25")
    weekend = tuple(day for day in WEEKDAYS if day in section.get("weekend", []))
    if len(weekend) == len(WEEKDAYS):
        raise SettingsRefused("calendar.weekend is the whole week: nothing would ever fall due")
    return Calendar(first_month, weekend, tuple(sorted(set(section.get("holidays", [])))))
