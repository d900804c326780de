"""The policies of a card: carried as stated, refused where they cannot be meant."""

import pytest

from chargeback.pricing.card_policies import NOTHING_STATED, CardPolicies, policies_not_kept
from chargeback.pricing.credits import NO_CREDITS, CreditPolicies
from tests.chargeback.pricing.built_cards import H100, HEAD, card_with, refusal_of

NODE = "    node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}\n"


def test_a_card_without_policies_holds_reports_and_credits_nothing() -> None:
    assert card_with().policies == NOTHING_STATED == CardPolicies("hold", "report", None, 0)


def test_policies_are_carried_as_the_card_states_them() -> None:
    section = "policies: {suspended: credit, blocked: charge, platform_fault_cap_hours: 24, preempted_minutes: 60}\n"

    assert card_with(H100 + NODE, HEAD + section).policies == CardPolicies("credit", "charge", 24, 60)


def test_no_credit_for_platform_faults_can_be_said_in_a_word() -> None:
    assert card_with(head=HEAD + "policies: {platform_fault_cap_hours: none}\n").policies == NOTHING_STATED


def test_what_is_forgiven_otherwise_than_the_card_states_is_told_policy_by_policy() -> None:
    stated = CardPolicies("hold", "charge", 24, 60, is_stated=True)

    assert policies_not_kept(stated, CreditPolicies(platform_fault_cap_hours=48, suspended=True)) == [
        ("suspended", "hold, as the card states", "credit ([policies] suspended)"),
        ("blocked", "charge, as the card states", "report (blocked capacity is never charged: state report)"),
        ("platform_fault_cap_hours", "24, as the card states", "48 ([policies] credit_platform_fault_cap_hours)"),
        ("preempted_minutes", "60, as the card states", "0 ([policies] credit_preempted_minutes)"),
    ]


def test_policies_that_are_kept_or_not_stated_are_nothing_to_tell() -> None:
    stated = card_with(head=HEAD + "policies: {platform_fault_cap_hours: 24}\n").policies

    assert policies_not_kept(stated, CreditPolicies(platform_fault_cap_hours=24)) == []
    assert policies_not_kept(stated, NO_CREDITS) != []
    assert policies_not_kept(card_with().policies, CreditPolicies(preempted_minutes=30)) == []


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ("{suspended: free}", "suspended is 'free', must be hold or credit"),
        ("{blocked: maybe}", "blocked is 'maybe', must be report or charge"),
        ("{platform_fault_cap_hours: 0}", "platform_fault_cap_hours is '0', must be whole hours, 24, or none"),
        ("{preempted_minutes: -5}", "preempted_minutes is '-5', must be a whole number"),
        ("{suspend: hold}", "policies: unknown field 'suspend': known are suspended"),
        ("all", "policies is 'all', must be suspended, blocked and credits"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(stated: str, reason: str) -> None:
    assert reason in refusal_of(head=f"{HEAD}policies: {stated}\n")
