"""Which policy of money holds in a month: what the card in force states, else the setting of chargeback.toml.

Not here: reading a card's policies (card_policies.py), what they do (credits.py, reserved_unused.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson
import polars as pl

from chargeback.pricing.credits import CreditPolicies


@dataclass(frozen=True, slots=True)
class MoneyPolicies:
    """What is forgiven, and whether what is reserved and unused is charged."""

    credits: CreditPolicies
    charges_reserved_unused: bool = True


SETTING_OF = {
    "suspended": "suspended",
    "platform_fault_cap_hours": "credit_platform_fault_cap_hours",
    "preempted_minutes": "credit_preempted_minutes",
    "reserved_unused": "reserved_unused",
    "blocked": "blocked",
}
"""Policy of a card -> the name of the setting under which statements print it."""

_SAID = {"suspended": {"hold": "charged", "credit": "credited"},
         "reserved_unused": {"charge": "charged", "report": "reported"}}  # fmt: skip
"""Words of a card -> the words of the settings."""


def stated_policies(prices: pl.DataFrame) -> dict[str, str]:
    """The policies of the card behind contracts.rate_card; none where it does not have the section."""
    spelled = None if prices.is_empty() else prices["policies"][0]
    stated: dict[str, str] = orjson.loads(spelled) if spelled else {}
    return stated


def policies_in_force(settings: MoneyPolicies, stated: Mapping[str, str]) -> MoneyPolicies:
    """The settings, or what the card says where it states policies: then even a default is finance's word."""
    credited = settings.credits
    if "suspended" in stated:
        credited = replace(credited, suspended=stated["suspended"] == "credit")
    if "preempted_minutes" in stated:
        credited = replace(credited, preempted_minutes=int(stated["preempted_minutes"]))
    if "platform_fault_cap_hours" in stated:
        cap = stated["platform_fault_cap_hours"]
        credited = replace(credited, platform_fault_cap_hours=0 if cap == "none" else int(cap))
    reserved = stated.get("reserved_unused")
    charges = settings.charges_reserved_unused if reserved is None else reserved == "charge"
    return MoneyPolicies(credited, charges)


def printed_in_force(printed: Mapping[str, str], stated: Mapping[str, str]) -> dict[str, str]:
    """The policies as a statement prints them: each that the card states says so, by its setting's name."""
    said = {
        SETTING_OF[name]: f"{_SAID.get(name, {}).get(value, value)} (the rate card says so)"
        for name, value in stated.items()
    }
    return {**printed, **said}
