"""[enforcement] of chargeback.toml: how near a parallel month must come, and what must hold before teams are charged.

Not here: what they do (chargeback/ledger/enforcement.py, variance.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from resources.setting_kinds import SettingsRefused, refuse_unfit


@dataclass(frozen=True, slots=True)
class Enforcement:
    """`unexplained_percent`: most of what finance has that may stay unexplained in a month that is signed off.

    `project_percent`: least part of the charged hours that names a project.
    """

    unexplained_percent: int = 1
    project_percent: int = 95

    @property
    def unexplained_limit(self) -> Fraction:
        """In per cent."""
        return Fraction(self.unexplained_percent)

    @property
    def least_coverage(self) -> Fraction:
        """As a part of 1."""
        return Fraction(self.project_percent, 100)

    @property
    def terms(self) -> dict[str, str]:
        """What a sponsor signs."""
        return {name: str(getattr(self, name)) for name in self.__slots__}


def read_enforcement(read: Mapping[str, Any]) -> Enforcement:
    """[enforcement]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("enforcement", {})
    refuse_unfit(section, dict.fromkeys(Enforcement.__slots__, int), "enforcement.")
    for name, value in section.items():
        if not 0 <= value <= 100:
            raise SettingsRefused(f"enforcement.{name} is {value}; it must be from 0 to 100")
    return Enforcement(**section)
