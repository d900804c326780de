"""[corrections]: what is booked of a closed month, how, and who must agree."""

from decimal import Decimal

import pytest

from chargeback.ledger.correction_policy import CorrectionPolicy
from resources.correction_settings import Corrections, read_corrections
from resources.setting_kinds import SettingsRefused


def test_without_settings_every_difference_is_booked_and_ninety_days_need_no_controller() -> None:
    assert read_corrections({}) == Corrections()
    assert Corrections().policy(fiscal_year_first_month=1) == CorrectionPolicy(
        Decimal(0), approval_after_days=90, fiscal_year_first_month=1
    )
    assert Corrections().parallel_months == "frozen"


def test_what_is_said_of_corrections_holds() -> None:
    said = {"style": "reversal", "threshold": "25.00", "look_back_months": 24}

    corrections = read_corrections({"corrections": said})

    assert (corrections.style, corrections.look_back_months) == ("reversal", 24)
    assert corrections.policy(fiscal_year_first_month=4) == CorrectionPolicy(
        Decimal("25.00"), approval_after_days=90, fiscal_year_first_month=4
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"style": "storno"}, "corrections.style"),
        ({"parallel_months": "charged"}, "corrections.parallel_months"),
        ({"threshold": "-1"}, 'write an amount in quotes, like "25.00"'),
        ({"threshold": "1e3"}, "write an amount in quotes"),
        ({"threshold": 25}, "corrections.threshold"),
        ({"approval_after_days": 3661}, "must be from 0 to 3660"),
        ({"look_back_months": 0}, "must be from 1 to 120"),
        ({"treshold": "1"}, "threshold"),
    ],
)
def test_an_impossible_setting_is_one_clear_line(said: dict[str, object], why: str) -> None:
    with pytest.raises(SettingsRefused, match=why):
        read_corrections({"corrections": said})
