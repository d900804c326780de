"""What a rate card plans to spend and to sell in a month, per accelerator and component: the planned cost pool.

A month is a twelfth of a year, as in the rate itself (build_up_rate.py). Not here: what was recovered of it
(ledger/recovery.py).
"""

from collections.abc import Iterable
from fractions import Fraction

import polars as pl

from chargeback.pricing.build_up_rate import billable_hours, yearly_costs
from chargeback.pricing.card_build_up import BuildUp

MONTHS = 12

PLANNED_COSTS = {
    "accelerator": pl.String(),
    "gpus": pl.Int64(),
    "billable_hours": pl.String(),
    "capacity_share": pl.String(),
    "component": pl.String(),
    "cost": pl.String(),
}
"""One row per accelerator and component of COMPONENTS; the cost of a month in the card's currency, the GPU-hours of a
month that the rate divides by, and their share of all hours; each a reduced fraction as text."""


def planned_costs(build_ups: Iterable[BuildUp]) -> pl.DataFrame:
    """PLANNED_COSTS of a card's build-ups, in order of accelerator and then of COMPONENTS; none without build-ups."""
    rows = [
        {
            "accelerator": build_up.accelerator,
            "gpus": build_up.gpus,
            "billable_hours": str(billable_hours(build_up) / MONTHS),
            "capacity_share": str(Fraction(build_up.share_of_capacity)),
            "component": component,
            "cost": str(cost / MONTHS),
        }
        for build_up in sorted(build_ups, key=lambda each: each.accelerator)
        for component, cost in yearly_costs(build_up).items()
    ]
    return pl.DataFrame(rows, schema=PLANNED_COSTS, orient="row")
