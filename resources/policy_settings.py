"""The section [policies] of chargeback.toml: what somebody could have decided otherwise, each with its default.

Not here: what they do; the rules take them as parameters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.policies_in_force import MoneyPolicies
from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit

OWNER_KINDS = ("label", "queue", "namespace", "account", "user", "wckey")
_OPERATIONS = re.compile(r"(account|qos):\S+")


@dataclass(frozen=True, slots=True)
class Policies:
    """Every choice that somebody could have made otherwise, each printed on the statement (design.md 5.14)."""

    suspended: str = "charged"
    credit_platform_fault_cap_hours: int = 0
    credit_preempted_minutes: int = 0
    running: str = "charged to last observation"
    rounding: str = "half-even"
    unknown_accounts: tuple[str, ...] = ("root", "default")
    owner_precedence: tuple[str, ...] = ("label", "queue", "namespace", "account", "user")
    active_above_percent: int = 20
    staleness_scrapes: int = 3
    quarantine_limit: int = 0
    empty_day_share_percent: int = 10
    drift_limit_percent: int = 100
    unattributed_limit_percent: int = 10
    reserved_unused: str = "charged"
    platform_operations: tuple[str, ...] = ()
    suspense_due_days: int = 0
    suspense_cleared_by: str = "finance, with a row in the ownership file"

    @property
    def money(self) -> MoneyPolicies:
        """What is forgiven and charged by the settings; what the card in force states goes before it."""
        credited = CreditPolicies(
            platform_fault_cap_hours=self.credit_platform_fault_cap_hours,
            preempted_minutes=self.credit_preempted_minutes,
            suspended=self.suspended == "credited",
        )
        return MoneyPolicies(credited, charges_reserved_unused=self.reserved_unused == "charged")


def read_policies(read: Mapping[str, Any]) -> Policies:
    """The policies of a parsed chargeback.toml. Raises SettingsRefused."""
    defaults = Policies()
    kinds = {name: type(getattr(defaults, name)) for name in Policies.__slots__}
    lists = dict.fromkeys((name for name, kind in kinds.items() if kind is tuple), list)
    given: dict[str, Any] = dict(read.get("policies", {}))
    refuse_unfit(given, {**kinds, **lists}, "policies.")
    one_of(given.get("suspended", defaults.suspended), ("charged", "credited"), "policies.suspended")
    one_of(given.get("reserved_unused", defaults.reserved_unused), ("charged", "reported"), "policies.reserved_unused")
    for name, only in (("running", defaults.running), ("rounding", "half-even")):
        one_of(given.get(name, only), (only,), f"policies.{name}")
    for name in lists:
        given[name] = tuple(str(each) for each in given.get(name, getattr(defaults, name)))
    for kind in given["owner_precedence"]:
        one_of(kind, OWNER_KINDS, "policies.owner_precedence")
    for named in given["platform_operations"]:
        if not _OPERATIONS.fullmatch(named):
            raise SettingsRefused(
                f"policies.platform_operations names {named!r}; it must be account:NAME or qos:NAME: a user's own "
                "label decides nothing"
            )
    return Policies(**given)
