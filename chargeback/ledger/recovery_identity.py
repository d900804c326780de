"""The identity of the recovery ledger: where the money of a cost pool went, exactly, and then to the cent.

    pool = recovered + planned idle + volume variance + spending variance + discounts + credits + rounding

pool               what was spent in the month, and its part of the carry-forward
recovered          what lines charged to teams, payers and suspense, less credits
spending variance  pool - planned pool
unsold             (billable hours of the plan - hours charged) x cost of a billable hour; below zero: more was sold.
                   Of it, at cost, the hours themselves are
volume variance    unsold x share of capacity that is billable, which is (billable - charged) hours x planned pool / all
                   hours, and what those hours would have paid of the idle capacity that the plan allows for is
planned idle       the rest. It is 0 where the rate divides by all hours, and where everything billable is sold
discounts          the same hours at the standard price, less at the price charged
credits            what was forgiven, as rounded lines
rounding           of the rate (its exact value against the stated price) and of each line

An hour that nobody was charged for is thus never valued at the card's rate, but at the pool over all hours.
Not here: whose lines (recovered.py), the table (recovery.py), what is carried forward (recovery_year.py).
Source: standard costing at practical capacity; docs/decisions/0027.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.ledger.recovered import Recovered
from chargeback.money import Currency, fraction_of

TERMS = (
    "recovered", "planned_idle", "volume_variance", "spending_variance", "discounts", "credits", "rounding",
)  # fmt: skip
"""Every part of a pool, in the order in which it is shown."""

CARRY_FORWARD = "carry-forward"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a card plans of an accelerator in a month: costs by component (exact), GPU-hours billed, their share."""

    costs: Mapping[str, Fraction]
    billable_hours: Fraction
    capacity_share: Fraction

    @property
    def pool(self) -> Fraction:
        """What the rate is to bring in."""
        return sum(self.costs.values(), Fraction(0))

    @property
    def carry_forward(self) -> Fraction:
        """Of it, what is no spending of this month."""
        return self.costs.get(CARRY_FORWARD, Fraction(0))

    @property
    def rate(self) -> Fraction:
        """The exact cost of a billable GPU-hour."""
        return self.pool / self.billable_hours


def exact_terms(plan: Plan, spent: Fraction, recovered: Recovered) -> dict[str, Fraction]:
    """Every term of the identity, exactly; they add up to spent + the carry-forward."""
    sold = recovered.sold_hours()
    unsold = plan.rate * (plan.billable_hours - sold)
    return {
        "recovered": fraction_of(recovered.net),
        "planned_idle": unsold * (1 - plan.capacity_share),
        "volume_variance": unsold * plan.capacity_share,
        "spending_variance": spent + plan.carry_forward - plan.pool,
        "discounts": recovered.discounts,
        "credits": fraction_of(recovered.credits),
        "rounding": recovered.rounding + plan.rate * sold - recovered.at_standard,
    }


def rounded_terms(terms: Mapping[str, Fraction], currency: Currency) -> dict[str, Decimal]:
    """The same to the minor unit, with the pool that they add up to, to the cent.

    Each is rounded once; `rounding` is what is left of the pool, so that it holds their rounding too: it differs from
    its own exact value by half a minor unit a term at most, which a check holds it to.
    """
    rounded = {name: currency.round(value) for name, value in terms.items()}
    pool = currency.round(sum(terms.values(), Fraction(0)))
    others = sum((amount for name, amount in rounded.items() if name != "rounding"), Decimal(0))
    return {**rounded, "rounding": pool - others, "pool": pool}


def identity_gap(row: Mapping[str, object]) -> Decimal:
    """Pool minus all terms of a row of contracts.recovery: 0, or it does not add up."""
    amounts = {name: row[name] for name in ("pool", *TERMS)}
    missing = [name for name, amount in amounts.items() if not isinstance(amount, Decimal)]
    if missing:
        raise TypeError(f"{', '.join(missing)} of {row.get('accelerator')} are no Decimal: a row without a plan")
    known = {name: amount for name, amount in amounts.items() if isinstance(amount, Decimal)}
    return known.pop("pool") - sum(known.values(), Decimal(0))
