"""[month_end] of chargeback.toml: how long a month stays open for late records, and how long teams may object.

Counted in days that are worked ([calendar]). Not here: what they do (chargeback/ledger/month_status.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from chargeback.billing_period import BillingPeriod
from chargeback.working_days import WorkingDays
from resources.setting_kinds import SettingsRefused, refuse_unfit


@dataclass(frozen=True, slots=True)
class MonthEnd:
    """`cut_off_working_days` after its end a month's statements go to the teams as they are to be charged; for
    `objection_working_days` more they may object.
    """

    cut_off_working_days: int = 2
    objection_working_days: int = 3

    def cut_off(self, period: BillingPeriod, working: WorkingDays) -> date:
        """The last day on which late records still change the month's statements."""
        return working.after(_last_day(period), days=self.cut_off_working_days)

    def objections_until(self, period: BillingPeriod, working: WorkingDays) -> date:
        """The last day on which a team may object."""
        return working.after(self.cut_off(period, working), days=self.objection_working_days)


def read_month_end(read: Mapping[str, Any]) -> MonthEnd:
    """[month_end]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("month_end", {})
    refuse_unfit(section, dict.fromkeys(MonthEnd.__slots__, int), "month_end.")
    for name, value in section.items():
        if not 0 <= value <= 60:
            raise SettingsRefused(f"month_end.{name} is {value}; it must be from 0 to 60")
    return MonthEnd(**section)


def _last_day(period: BillingPeriod) -> date:
    return date.fromisoformat(period.days[-1])
