"""What one rate card changes against another: prices per accelerator and tier, and the components behind them.

Prices are compared per hour, a month taken as 730 hours, a slice with a billing weight as what it is charged.
Not here: who pays how much more (that needs usage).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from chargeback.pricing.build_up_rate import COMPONENTS, rate_components
from chargeback.pricing.rate_card import RateCard


@dataclass(frozen=True, slots=True)
class Change:
    """One price (or component, `name`) before and after, per `unit`; None where a card does not have it."""

    accelerator: str
    name: str
    unit: str
    before: Fraction | None
    after: Fraction | None

    @property
    def difference(self) -> Fraction | None:
        """After minus before; None where one of them is missing."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def share(self) -> Fraction | None:
        """The difference as a part of what stood before; None where there was nothing."""
        return self.difference / self.before if self.difference is not None and self.before else None

    @property
    def is_change(self) -> bool:
        """Whether the two cards differ here."""
        return self.before != self.after


def price_changes(before: RateCard, after: RateCard) -> list[Change]:
    """Every price of either card, by accelerator and tier; `name` is the tier."""
    old, new = _prices(before), _prices(after)
    return [
        Change(accelerator, tier, unit, old.get((accelerator, tier, unit)), new.get((accelerator, tier, unit)))
        for accelerator, tier, unit in sorted({*old, *new})
    ]


def component_changes(before: RateCard, after: RateCard) -> list[Change]:
    """Every component per GPU-hour of the accelerators that have a build-up in both cards; `name` is the component."""
    old, new = _components(before), _components(after)
    return [
        Change(accelerator, name, "GPU-hour", old[accelerator][name], new[accelerator][name])
        for accelerator in sorted({*old} & {*new})
        for name in COMPONENTS
    ]


def _prices(card: RateCard) -> dict[tuple[str, str, str], Fraction]:
    return {
        (price.accelerator, price.tier, "slice-hour" if ":" in price.accelerator else "GPU-hour"): (
            price.per_hour_of_730 * (price.billing_weight or 1)
        )
        for price in card.prices
    }


def _components(card: RateCard) -> dict[str, Mapping[str, Fraction]]:
    return {build_up.accelerator: rate_components(build_up) for build_up in card.build_ups}
