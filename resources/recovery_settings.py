"""[recovery] of chargeback.toml: what part of active time is no work.

It changes no charge. Not here: what they do (chargeback/ledger/recovery_year.py, gpu_hour_cost.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from resources.setting_kinds import SettingsRefused, refuse_unfit


@dataclass(frozen=True, slots=True)
class Recovery:
    """`scheduling_tax_percent` is the part of active time that is no work of anybody's: burn-in, health checks,
    checkpoints, restarts and rendezvous; whoever has not measured it leaves it at 0.
    """

    scheduling_tax_percent: int = 0

    @property
    def tax(self) -> Fraction:
        """The scheduling tax as a part of 1."""
        return Fraction(self.scheduling_tax_percent, 100)


def read_recovery(read: Mapping[str, Any]) -> Recovery:
    """[recovery]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("recovery", {})
    if "fiscal_year_first_month" in section:
        raise SettingsRefused("recovery.fiscal_year_first_month stands in [calendar] now, under the same name: move it")
    refuse_unfit(section, dict.fromkeys(Recovery.__slots__, int), "recovery.")
    recovery = Recovery(**section)
    if recovery.scheduling_tax_percent >= 100:
        raise SettingsRefused(
            f"recovery.scheduling_tax_percent is {recovery.scheduling_tax_percent}; it must be below 100, else there "
            "is no work left to pay for"
        )
    return recovery
