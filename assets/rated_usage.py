"""The asset rated_usage."""

from dataclasses import replace

import dagster as dg

from assets.attribution import attribution
from assets.capacity import capacity
from assets.landed_objects import landed_objects
from assets.materialisation import Inputs, materialise, month_of
from assets.ownership import ownership
from assets.plots import rated_report
from assets.quarantine import quarantine
from assets.rate_card import rate_card
from assets.runs import runs
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.pricing.policies_in_force import policies_in_force, stated_policies
from chargeback.pricing.rating import rate_usage
from resources.due_dates import is_due
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[attribution, runs, capacity, landed_objects, quarantine, ownership, rate_card])
def rated_usage(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run, host, accelerator or slice, tier, owner and day: exact quantities, nothing rounded."""
    month = month_of(context, settings)
    hours = lake.scan(ATTRIBUTION, month.days)
    read_runs = lake.scan(RUNS, month.days)
    owners = lake.scan(OWNERSHIP, [month.partition])
    prices = lake.scan(RATE_CARD, [month.partition])
    policies = settings.policies
    in_force = policies_in_force(policies.money, stated_policies(prices.frame.collect()))
    unused = lake.scan(CAPACITY, month.days) if in_force.charges_reserved_unused else None
    due = is_due(month.period.interval.end, days=policies.suspense_due_days)
    credit_policies = replace(in_force.credits, suspense=due)
    chosen = {
        "unknown_accounts": policies.unknown_accounts,
        "owner_precedence": policies.owner_precedence,
        "credits": credit_policies,
        "platform_operations": policies.platform_operations,
    }
    return materialise(
        context,
        lake,
        RATED_USAGE,
        month.partition,
        inputs=Inputs.of(hours, read_runs, owners, prices, *([unused] if unused else []), settings=chosen),
        rule=lambda: rate_usage(
            hours.frame,
            read_runs.frame,
            owners.frame.collect(),
            prices.frame.collect(),
            period=month.period,
            currency=settings.currency_code,
            unknown_accounts=policies.unknown_accounts,
            precedence=policies.owner_precedence,
            credit_policies=credit_policies,
            reserved_of=unused.frame if unused else None,
            platform_operations=policies.platform_operations,
        ),
        report=rated_report,
    )
