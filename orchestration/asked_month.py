"""A month as somebody types it at a command: one of this lake's, from its first to the running one."""

import re
from datetime import datetime

from assets.materialisation import Month, month_called
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def asked_month(month: str, settings: Settings, now: datetime) -> Month:
    """The month. Raises SettingsRefused for what is no month, and for one outside the lake."""
    first = settings.first_day.isoformat()[:7]
    running = now.astimezone(settings.zone).date().isoformat()[:7]
    if not _MONTH.fullmatch(month):
        raise SettingsRefused(f"{month!r} is not a month; write it as 2026-10")
    if not first <= month <= running:
        raise SettingsRefused(f"month {month} is outside this lake: its first is {first}, the running one is {running}")
    return month_called(month, settings)
