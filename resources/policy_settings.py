"""The section [policies] of chargeback.toml: what somebody could have decided otherwise, each with its default.

Not here: what they do; the rules take them as parameters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chargeback.pricing.credits import CreditPolicies
from resources.setting_kinds import one_of, refuse_unfit

OWNER_KINDS = ("label", "queue", "namespace", "account", "user", "wckey")


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

    @property
    def credit_policies(self) -> CreditPolicies:
        """What is forgiven, as the rule takes it."""
        return CreditPolicies(
            platform_fault_cap_hours=self.credit_platform_fault_cap_hours,
            preempted_minutes=self.credit_preempted_minutes,
            suspended=self.suspended == "credited",
        )


def read_policies(read: Mapping[str, Any]) -> Policies:
    """The policies of a parsed chargeback.toml. Raises SettingsRefused."""
    defaults = Policies()
    kinds = {name: type(getattr(defaults, name)) for name in Policies.__slots__}
    lists = dict.fromkeys((name for name, kind in kinds.items() if kind is tuple), list)
    given: dict[str, Any] = dict(read.get("policies", {}))
    refuse_unfit(given, {**kinds, **lists}, "policies.")
    one_of(given.get("suspended", defaults.suspended), ("charged", "credited"), "policies.suspended")
    for name, only in (("running", defaults.running), ("rounding", "half-even")):
        one_of(given.get(name, only), (only,), f"policies.{name}")
    for name in lists:
        given[name] = tuple(str(each) for each in given.get(name, getattr(defaults, name)))
    for kind in given["owner_precedence"]:
        one_of(kind, OWNER_KINDS, "policies.owner_precedence")
    return Policies(**given)
