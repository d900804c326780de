"""On which terms a month is rated: the settings, what its card says, and what has fallen due by now. Said once.

The asset rated_usage and the fresh computation of closed months rate by these. Not here: rating (chargeback/pricing).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.policies_in_force import policies_in_force, stated_policies
from chargeback.pricing.rating import rate_usage
from resources.due_dates import is_suspense_due
from resources.settings import Settings

OWNER_TERMS = ("unknown_accounts", "owner_precedence", "platform_operations")
"""Names of the settings that decide whose usage is whose, as they are recorded."""

MONEY_TERMS = ("credits", "reserved_unused")
"""Names of the policies that decide what is charged and forgiven, as they are recorded."""


def rated_before_due(inputs: Mapping[str, str]) -> bool:
    """Whether a month's rated usage, by its recorded inputs, was made while its suspense was not due."""
    return "suspense=False" in inputs.get("setting|credits", "")


@dataclass(frozen=True, slots=True)
class RatingTerms:
    """The terms of one month, under the card that `prices` come from (contracts.rate_card)."""

    period: BillingPeriod
    settings: Settings
    prices: pl.DataFrame
    credits: CreditPolicies
    charges_reserved_unused: bool

    @classmethod
    def of(cls, period: BillingPeriod, settings: Settings, prices: pl.DataFrame) -> "RatingTerms":
        """What holds now; whether the suspense has fallen due is part of it."""
        in_force = policies_in_force(settings.policies.money, stated_policies(prices))
        due = is_suspense_due(period, settings)
        return cls(period, settings, prices, replace(in_force.credits, suspense=due), in_force.charges_reserved_unused)

    def recorded(self) -> dict[str, object]:
        """Name -> value, as the inputs of rated_usage keep it."""
        policies = self.settings.policies
        return {
            "unknown_accounts": policies.unknown_accounts,
            "owner_precedence": policies.owner_precedence,
            "platform_operations": policies.platform_operations,
            "credits": self.credits,
            "reserved_unused": self.charges_reserved_unused,
        }

    def rated(
        self, hours: pl.LazyFrame, runs: pl.LazyFrame, capacity: pl.LazyFrame, owners: pl.DataFrame
    ) -> pl.DataFrame:
        """contracts.rated_usage of the month from attribution, runs and capacity of its days, and ownership."""
        policies = self.settings.policies
        return rate_usage(
            hours,
            runs,
            owners,
            self.prices,
            period=self.period,
            currency=self.settings.currency_code,
            unknown_accounts=policies.unknown_accounts,
            precedence=policies.owner_precedence,
            credit_policies=self.credits,
            reserved_of=capacity if self.charges_reserved_unused else None,
            platform_operations=policies.platform_operations,
        )
