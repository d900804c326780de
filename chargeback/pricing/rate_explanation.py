"""How each rate of a card with a build-up comes about, and what one more year of life and of tariff do to it.

Everything is exact; texts and pictures are made from it elsewhere. Not here: the formula (build_up_rate.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.pricing.build_up_rate import (
    billable_hours,
    exact_rate,
    rate_components,
    with_a_year_more,
    with_dearer_power,
    yearly_costs,
)
from chargeback.pricing.card_build_up import BuildUp
from chargeback.pricing.card_prices import STANDARD
from chargeback.pricing.rate_card import RateCard
from chargeback.pricing.stated_price import StatedPrice


@dataclass(frozen=True, slots=True)
class Effect:
    """What a changed input does: the rate per GPU-hour that it makes, and by how much that differs.

    `change` says it in full, `label` in a few words. `per_year` is the difference over all billable hours of a year.
    """

    change: str
    label: str
    rate: Fraction
    difference: Fraction
    per_year: Fraction


@dataclass(frozen=True, slots=True)
class Explanation:
    """One accelerator's rate: its components per year and per GPU-hour (in the order of COMPONENTS), and effects."""

    build_up: BuildUp
    stated: StatedPrice
    per_year: Mapping[str, Fraction]
    per_gpu_hour: Mapping[str, Fraction]
    rate: Fraction
    billable_hours: Fraction
    effects: tuple[Effect, ...]


def explain_card(card: RateCard, *, smallest_amount: Decimal) -> tuple[Explanation, ...]:
    """An explanation per build-up, by accelerator. `smallest_amount` is by how much the tariff rises: 0.01 for EUR."""
    return tuple(
        _explanation(build_up, card, smallest_amount)
        for build_up in sorted(card.build_ups, key=lambda each: each.accelerator)
    )


def _explanation(build_up: BuildUp, card: RateCard, more_per_kwh: Decimal) -> Explanation:
    stated = next(
        each for each in card.prices if (each.accelerator, each.tier) == (build_up.accelerator, STANDARD)
    )  # a card without one is refused when it is read
    return Explanation(
        build_up=build_up,
        stated=stated,
        per_year=yearly_costs(build_up),
        per_gpu_hour=rate_components(build_up),
        rate=exact_rate(build_up),
        billable_hours=billable_hours(build_up),
        effects=tuple(_effects(build_up, card.currency, more_per_kwh)),
    )


def _effects(build_up: BuildUp, currency: str, more_per_kwh: Decimal) -> Iterator[Effect]:
    life, tariff = build_up.life_years, build_up.power.tariff_per_kwh
    if not build_up.is_written_off:
        change = f"life of {_plain(life + 1)} instead of {_plain(life)} years"
        yield _effect(change, "a year more", build_up, with_a_year_more(build_up))
    change = f"tariff of {tariff + more_per_kwh} instead of {tariff} {currency} per kWh"
    yield _effect(change, f"+{more_per_kwh} per kWh", build_up, with_dearer_power(build_up, more_per_kwh))


def _effect(change: str, label: str, build_up: BuildUp, changed: BuildUp) -> Effect:
    rate = exact_rate(changed)
    difference = rate - exact_rate(build_up)
    return Effect(change, label, rate, difference, difference * billable_hours(build_up))


def _plain(years: Fraction) -> str:
    whole, months = divmod(int(years * 12), 12)
    return f"{whole}" if not months else f"{whole} {months}/12"
