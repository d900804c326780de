"""The policies of a card go before the settings, and the statement says so."""

from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.policies_in_force import MoneyPolicies, policies_in_force, printed_in_force, stated_policies
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.worked_month import CARD, MARCH, the_card

SETTINGS = MoneyPolicies(CreditPolicies(platform_fault_cap_hours=24, preempted_minutes=30, suspended=True))
POLICIES = b"policies: {suspended: hold, platform_fault_cap_hours: none, reserved_unused: report}\n"


def test_a_card_that_states_policies_goes_first_and_what_its_section_leaves_out_is_without_credits() -> None:
    stated = stated_policies(prices_of_month(the_card(CARD + POLICIES), period=MARCH))

    assert policies_in_force(SETTINGS, stated) == MoneyPolicies(
        CreditPolicies(platform_fault_cap_hours=0, preempted_minutes=0, suspended=False), charges_reserved_unused=False
    )
    assert printed_in_force({"suspended": "credited", "running": "charged"}, stated) == {
        "running": "charged",
        "suspended": "charged (the rate card says so)",
        "credit_platform_fault_cap_hours": "none (the rate card says so)",
        "credit_preempted_minutes": "0 (the rate card says so)",
        "blocked": "report (the rate card says so)",
        "reserved_unused": "reported (the rate card says so)",
    }


def test_a_card_that_states_nothing_leaves_the_settings_as_they_are() -> None:
    stated = stated_policies(prices_of_month(the_card(), period=MARCH))

    assert stated == {}
    assert policies_in_force(SETTINGS, stated) == SETTINGS


def test_a_card_can_forgive_what_the_settings_do_not() -> None:
    stated = {"platform_fault_cap_hours": "12", "preempted_minutes": "60", "suspended": "credit"}

    found = policies_in_force(MoneyPolicies(CreditPolicies(), charges_reserved_unused=False), stated)

    assert found == MoneyPolicies(CreditPolicies(12, 60, suspended=True), charges_reserved_unused=False)
