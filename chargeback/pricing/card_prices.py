"""The prices of one accelerator in a rate card: tiers, discounts, slices.

    h100-sxm5-80gb:
      standard: {price: 2.3986, unit: GPU-hour}
      preemptible: {discount: 30 %}                      # of the standard price, instead of a price
      slices:
        3g.40gb: {standard: {price: 1.25, unit: slice-hour}}
        1g.10gb: {billing_weight: 1/8}

A discounted price is rounded once, half-even, to the card's rate_scale. Not here: cost build-ups.
"""

import re
from decimal import Decimal
from fractions import Fraction

from chargeback.contracts.common_columns import TIER
from chargeback.money import fraction_of
from chargeback.pricing.build_up_rate import at_scale, rate_of
from chargeback.pricing.card_build_up import BuildUp
from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.stated_price import PRICE_SCALE, StatedPrice
from chargeback.pricing.yaml_tree import Branch, Text

GPU_UNITS = ("GPU-hour", "month", "month_730", "slice-hour")
SLICE_UNITS = ("slice-hour",)
STANDARD = "standard"

_PRICE = re.compile(r"-?\d{1,12}(\.\d+)?")
_WEIGHT = re.compile(r"[0-9]{1,6}(/[1-9][0-9]{0,5})?")


def read_prices(
    fields: CardFields, name: str, priced: Branch, slices: Branch, *, scale: int, build_up: BuildUp | None
) -> list[StatedPrice]:
    """The prices of an accelerator (tiers of `priced`) and of its slices.

    `build_up` only serves to say which price is missing.
    """
    whole = _tiers(fields, name, priced, GPU_UNITS, scale=scale, build_up=build_up)
    prices = list(whole)
    for profile, entry in slices.entries.items():
        prices += _slice_prices(fields, f"{name}:{profile}", entry, whole, scale=scale)
    return prices


def _slice_prices(
    fields: CardFields, name: str, entry: Text | Branch, whole: list[StatedPrice], *, scale: int
) -> list[StatedPrice]:
    priced = fields.as_branch(entry, name, "prices per tier, or a billing_weight")
    stated = priced.entries.get("billing_weight")
    if stated is None:
        return _tiers(fields, name, priced, SLICE_UNITS, scale=scale, build_up=None)
    if len(priced.entries) > 1:
        others = ", ".join(sorted(set(priced.entries) - {"billing_weight"}))
        fields.refuse(priced, f"{name} states a billing_weight and {others}: state a price or a weight, never both")
        return []
    text = stated.text if isinstance(stated, Text) else ""
    weight = Fraction(text) if _WEIGHT.fullmatch(text) else Fraction(0)
    if not 0 < weight <= 1:
        fields.refuse(stated, f"{name}: billing_weight {text!r} must be a fraction above 0 and at most 1, 4/8")
        return []
    hourly = [price for price in whole if price.unit != "slice-hour"]
    if not hourly:
        fields.refuse(stated, f"{name}: a billing_weight weighs the GPU's own price, and it has none: state that first")
    return [StatedPrice(name, price.tier, price.price, price.unit, weight) for price in hourly]


def _tiers(
    fields: CardFields, name: str, priced: Branch, units: tuple[str, ...], *, scale: int, build_up: BuildUp | None
) -> list[StatedPrice]:
    prices: list[StatedPrice] = []
    for tier, entry in sorted(priced.entries.items(), key=lambda each: each[0] != STANDARD):
        if tier not in TIER.values:
            fields.refuse(entry, f"{name}: unknown tier {tier!r}: known are {', '.join(TIER.values)}")
            continue
        where = f"{name}, {tier}"
        stated = fields.as_branch(entry, where, "{price: 2.40, unit: GPU-hour}")
        if "discount" in stated.entries:
            standard = next((each for each in prices if each.tier == STANDARD), None)
            prices += _discounted(fields, where, stated, standard, scale=scale)
            continue
        for unknown in sorted(set(stated.entries) - {"price", "unit", "why"}):
            fields.refuse(stated, f"{where}: unknown field {unknown!r}: known are price, unit, discount, why")
        unit = fields.text(stated, "unit", re.compile("|".join(units)), f"one of {', '.join(units)}")
        why = fields.text(stated, "why", None, "a reason", required=False)
        price = _price(fields, stated, where, build_up if tier == STANDARD else None, scale)
        prices.append(StatedPrice(name, tier, price, unit, why=why))
    return prices


def _discounted(
    fields: CardFields, where: str, stated: Branch, standard: StatedPrice | None, *, scale: int
) -> list[StatedPrice]:
    name, _, tier = where.rpartition(", ")
    discount = fields.percent(stated, "discount")
    others = sorted(set(stated.entries) - {"discount", "why"})
    if others:
        fields.refuse(stated, f"{where} states a discount and {', '.join(others)}: a discount or a price, never both")
    elif standard is None:
        fields.refuse(stated, f"{where}: a discount is off the standard price, and there is none: state that first")
    elif discount > 1:
        fields.refuse(stated, f"{where}: discount {discount * 100} % is more than the price: at most 100 %")
    else:
        decimals = max(scale, -int(standard.price.as_tuple().exponent))
        price = at_scale(fraction_of(standard.price) * (1 - discount), decimals)
        why = fields.text(stated, "why", None, "a reason", required=False)
        return [StatedPrice(name, tier, price, standard.unit, discount=discount, why=why)]
    return []


def _price(fields: CardFields, stated: Branch, where: str, build_up: BuildUp | None, scale: int) -> Decimal:
    entry = stated.entries.get("price")
    if build_up is not None and not fields.reasons and (entry is None or (isinstance(entry, Text) and not entry.text)):
        rate = rate_of(build_up, scale=scale)
        fields.refuse(stated, f"{where}: price is missing: the build-up makes {rate} per GPU-hour, state that")
        return rate
    text = fields.text(stated, "price", _PRICE, "a plain decimal number, 2.385")
    price = Decimal(text or 0)
    decimals = len(text.partition(".")[2])
    if price < 0:
        fields.refuse(stated, f"{where}: price {text} is negative: a credit is a line of its own kind, not a price")
    if decimals > PRICE_SCALE:
        fields.refuse(
            stated,
            f"{where}: price {text} has {decimals} decimals, {decimals - PRICE_SCALE} more than a price "
            f"keeps: state it with at most {PRICE_SCALE}",
        )
    return price
