"""The company's calendar: which days are worked, and when a term that ends on another day ends.

Not here: when a fiscal year begins (ledger/fiscal_year.py), days and hours of billing (billing_period.py).
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """`weekend` names days of the week, `holidays` are dates. Without either every day is worked.

    Raises: ValueError for a weekend that is the whole week.
    """

    weekend: Collection[str] = ()
    holidays: Collection[date] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if set(self.weekend) >= set(WEEKDAYS):
            raise ValueError("every day of the week is weekend: nothing would ever fall due")

    def is_worked(self, day: date) -> bool:
        """Whether a day is worked."""
        return WEEKDAYS[day.weekday()] not in self.weekend and day not in self.holidays

    def on_or_after(self, day: date) -> date:
        """The day itself if it is worked, else the next one that is: a term never ends on a day that nobody works."""
        while not self.is_worked(day):
            day += ONE_DAY
        return day

    def after(self, day: date, *, days: int) -> date:
        """The day that many worked days after a day: three after a Thursday are the Tuesday."""
        for _ in range(days):
            day = self.on_or_after(day + ONE_DAY)
        return day
