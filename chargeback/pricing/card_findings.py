"""What makes a whole card unbelievable although each entry can be read: a rate that does not follow from its inputs, a
price a hundred times off its neighbours, a geometry charged above one GPU or of slices that nobody knows, a policy
without what it needs.

Every finding refuses the card. Source: design.md 2, 5.7. Not here: notes that refuse nothing (`below_one_gpu`), and
findings across cards (card_calendar.py).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from chargeback.pricing.billing_weights import Geometry, above_one_gpu
from chargeback.pricing.build_up_rate import rate_of
from chargeback.pricing.card_build_up import BuildUp
from chargeback.pricing.card_policies import CardPolicies
from chargeback.pricing.card_prices import STANDARD
from chargeback.pricing.gpu_equivalents import NodeShape
from chargeback.pricing.stated_price import HOURS_OF_MONTH_730, StatedPrice, billing_weights

TOO_FAR_OFF = 100
"""A price so many times above or below all of its neighbours is taken for a slipped unit or decimal point."""


class Priced(Protocol):
    """The parts of a card that are looked at."""

    @property
    def prices(self) -> tuple[StatedPrice, ...]:
        """Prices of all accelerators, slices and tiers."""

    @property
    def build_ups(self) -> tuple[BuildUp, ...]:
        """Cost build-ups, one an accelerator at most."""

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        """How GPUs are cut."""

    @property
    def node_shapes(self) -> tuple[NodeShape, ...]:
        """CPUs and memory that belong to a GPU."""

    @property
    def policies(self) -> CardPolicies:
        """Policies."""

    @property
    def rate_scale(self) -> int:
        """Decimals of a rate."""


def card_findings(card: Priced) -> list[tuple[str, str]]:
    """(accelerator, what is wrong and what to do), by accelerator."""
    found = [*_rates_that_do_not_follow(card), *_far_from_neighbours(card.prices)]
    found += [(each.accelerator, what) for each, what in above_one_gpu(card.geometries, billing_weights(card.prices))]
    found += [*_unknown_slices(card), *_unweighable(card)]
    return sorted(found)


def _rates_that_do_not_follow(card: Priced) -> Iterator[tuple[str, str]]:
    for build_up in card.build_ups:
        name = build_up.accelerator
        stated = next((each for each in card.prices if (each.accelerator, each.tier) == (name, STANDARD)), None)
        if stated is None:
            yield name, f"{name} has a build-up and no standard price: state what it makes"
            continue
        if stated.unit not in ("GPU-hour", "month_730"):
            yield (
                name,
                f"{name}: a build-up makes a price per GPU-hour or month_730, the card states one per {stated.unit}",
            )
            continue
        hours = HOURS_OF_MONTH_730 if stated.unit == "month_730" else 1
        made = rate_of(build_up, scale=card.rate_scale) * hours
        if made != stated.price:
            difference = stated.price - made
            off = f"{abs(difference)} {'less' if difference > 0 else 'more'}"
            what = (
                f"{name}, standard: the card states {stated.price} per {stated.unit}, its inputs make {made}, {off} "
                f"(rate_scale {card.rate_scale}): state {made}, or correct the input that is wrong"
            )
            yield name, what


def _far_from_neighbours(prices: Sequence[StatedPrice]) -> Iterator[tuple[str, str]]:
    """Prices off all others of the same tier, or off all other tiers of the same accelerator; free ones are let be."""
    stated = [each for each in prices if each.price > 0 and each.billing_weight is None]
    for price in stated:
        tier = [each for each in stated if each.tier == price.tier and each is not price]
        own = [each for each in stated if each.accelerator == price.accelerator and each is not price]
        for neighbours in (tier, own):
            if neighbours and not price.why and all(_is_far(price, each) for each in neighbours):
                nearest = min(neighbours, key=lambda each: (_ratio(price, each), each.accelerator, each.tier))
                yield price.accelerator.partition(":")[0], _far_off(price, nearest)
                break


def _far_off(price: StatedPrice, nearest: StatedPrice) -> str:
    side = "above" if price.per_hour_of_730 > nearest.per_hour_of_730 else "below"
    times = int(_ratio(price, nearest))
    return (
        f"{price.accelerator}, {price.tier}: {price.price} per {price.unit} is {times} times {side} its nearest "
        f"neighbour, {nearest.accelerator} {nearest.tier} at {nearest.price} per {nearest.unit}: correct unit or "
        "decimal point, or say why (`why: ...` beside the price)"
    )


def _is_far(price: StatedPrice, other: StatedPrice) -> bool:
    return _ratio(price, other) >= TOO_FAR_OFF


def _ratio(price: StatedPrice, other: StatedPrice) -> Fraction:
    low, high = sorted((price.per_hour_of_730, other.per_hour_of_730))
    return high / low


def _unknown_slices(card: Priced) -> Iterator[tuple[str, str]]:
    """Slices of geometries without a price: a misspelt one would leave its whole geometry unsummed."""
    priced = {price.accelerator for price in card.prices}
    for geometry in card.geometries:
        for profile, _ in geometry.slices:
            if f"{geometry.accelerator}:{profile}" not in priced:
                what = (
                    f"{geometry.accelerator}, geometry {geometry.name} has a slice {profile}, which the card does not "
                    "price: add it under `slices`, or correct its name"
                )
                yield geometry.accelerator, what


def _unweighable(card: Priced) -> Iterator[tuple[str, str]]:
    """Accelerators whose blocked time is to be charged and that nobody can express in GPU equivalents."""
    if card.policies.blocked != "charge":
        return
    shaped = {each.accelerator for each in card.node_shapes}
    for name in sorted({price.accelerator.partition(":")[0] for price in card.prices} - shaped):
        what = (
            f"{name}: blocked time is charged in GPU equivalents, and nothing says how many CPUs and how much memory "
            "belong to one of its GPUs: state `node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}`"
        )
        yield name, what
