"""[corrections] of chargeback.toml: what of a closed month's differences is booked, how, and who must agree.

Not here: the differences (chargeback/ledger/corrections.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from chargeback.ledger.correction_policy import STYLES, CorrectionPolicy
from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit

FROZEN, CORRECTED = PARALLEL_MONTHS = ("frozen", "corrected")
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,4})?")
_NUMBERS = {"approval_after_days": (0, 3660), "look_back_months": (1, 120)}


@dataclass(frozen=True, slots=True)
class Corrections:
    """`threshold` is an amount of the lake's currency as a text, since no float touches money.

    `style`: the difference alone, or reversal and new entry. `look_back_months`: how far back closed months are looked
    at. `parallel_months`: whether a closed month that was not charged is frozen, or corrected for practice.
    """

    style: str = "difference"
    threshold: str = "0"
    approval_after_days: int = 90
    look_back_months: int = 12
    parallel_months: str = FROZEN

    def policy(self, *, fiscal_year_first_month: int) -> CorrectionPolicy:
        """What is booked and who must agree, as the rule takes it; the fiscal year is the recovery ledger's."""
        return CorrectionPolicy(Decimal(self.threshold), self.approval_after_days, fiscal_year_first_month)


def read_corrections(read: Mapping[str, Any]) -> Corrections:
    """[corrections]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("corrections", {})
    texts = dict.fromkeys(("style", "threshold", "parallel_months"), str)
    refuse_unfit(section, {**texts, **dict.fromkeys(_NUMBERS, int)}, "corrections.")
    one_of(section.get("style", "difference"), STYLES, "corrections.style")
    one_of(section.get("parallel_months", FROZEN), PARALLEL_MONTHS, "corrections.parallel_months")
    if not _AMOUNT.fullmatch(section.get("threshold", "0")):
        raise SettingsRefused(
            f'corrections.threshold is {section["threshold"]!r}; write an amount in quotes, like "25.00"'
        )
    for name, (least, most) in _NUMBERS.items():
        if name in section and not least <= section[name] <= most:
            raise SettingsRefused(f"corrections.{name} is {section[name]}; it must be from {least} to {most}")
    return Corrections(**section)
