"""A rate card: versioned, effective-dated prices per accelerator, slice profile and tier, read from YAML.

    version: "2026.2"
    effective_from: 2026-03          # first month
    effective_to: 2026-07            # first month on which it is not in force any more; leave out while open
    currency: EUR
    accelerators:
      a100-sxm4-80gb:
        standard: {price: 1.10, unit: GPU-hour}        # GPU-hour, month (that month's hours) or month_730
        slices:
          3g.40gb:
            standard: {price: 0.60, unit: slice-hour}  # stated, or ...
          1g.10gb: {billing_weight: 1/8}               # ... a part of every tier's GPU price; never both

Errors are values: every one a line that says what, where, how far off and what to do.
Not here: which card is in force and what it costs in a month (prices_of_month.py); signatures (card_signature.py).
"""

import hashlib
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from chargeback.contracts.common_columns import TIER
from chargeback.money import Currency
from chargeback.pricing.yaml_tree import Branch, Text, read_tree, texts_of
from chargeback.signatures.canonical import content_sha256

GPU_UNITS = ("GPU-hour", "month", "month_730", "slice-hour")
SLICE_UNITS = ("slice-hour",)
PRICE_SCALE = 12
ROUNDING = "half-even"
NO_SIGNATURE = "unsigned: nobody has looked for a signature"

_FIELDS = (
    "version", "effective_from", "effective_to", "currency", "rounding", "prepared_by", "approved_by", "note",
    "accelerators",
)  # fmt: skip
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_PRICE = re.compile(r"-?\d{1,12}(\.\d+)?")
_WEIGHT = re.compile(r"[0-9]{1,6}(/[1-9][0-9]{0,5})?")


@dataclass(frozen=True, slots=True)
class StatedPrice:
    """One price as the card states it.

    `accelerator` is `accelerator:profile` for a slice. With a `billing_weight` the price is that of the whole GPU and
    one slice counts as that many GPUs.
    """

    accelerator: str
    tier: str
    price: Decimal
    unit: str
    billing_weight: Fraction | None = None


@dataclass(frozen=True, slots=True)
class RateCard:
    """One version of the card. `effective_from` and `effective_to` are months, half-open; an open end is None.

    `sha256` is of its bytes, `content_sha256` of what they say; `signature` tells who signed it, or why nobody has.
    """

    version: str
    effective_from: str
    effective_to: str | None
    currency: str
    rounding: str
    prices: tuple[StatedPrice, ...]
    prepared_by: str
    approved_by: str
    note: str
    sha256: str
    object_key: str
    content_sha256: str = ""
    is_signed: bool = False
    signature: str = NO_SIGNATURE

    @property
    def order(self) -> tuple[int, ...]:
        """Versions in the order in which they were issued: 2026.10 after 2026.9."""
        return tuple(int(part) for part in self.version.split("."))


@dataclass(frozen=True, slots=True)
class CardRefused:
    """Why a card is not taken, one line a reason."""

    reasons: tuple[str, ...]


def read_rate_card(content: bytes, *, object_key: str) -> RateCard | CardRefused:
    """Read one landed card, or refuse it with every reason found.

    Numbers are read as they are written, never through a float. Source: design.md 5.7.
    """
    tree = read_tree(content)
    if isinstance(tree, list):
        return CardRefused(tuple(f"rate card {object_key}: {refusal}" for refusal in tree))
    reader = _Reader(object_key)
    card = reader.card(tree, hashlib.sha256(content).hexdigest())
    return CardRefused(tuple(reader.reasons)) if reader.reasons else replace(card, content_sha256=said_sha256(tree))


def said_sha256(tree: Branch) -> str:
    """The hash of what a card says, which signatures are of: a comment, a space or another order changes nothing."""
    return content_sha256(texts_of(tree))


class _Reader:
    """Reads a tree and collects what is wrong with it; a card read with reasons is not used."""

    def __init__(self, object_key: str) -> None:
        self.object_key = object_key
        self.reasons: list[str] = []

    def refuse(self, at: Text | Branch, what: str) -> None:
        self.reasons.append(f"rate card {self.object_key} line {at.line}: {what}")

    def card(self, tree: Branch, sha256: str) -> RateCard:
        for name in sorted(set(tree.entries) - set(_FIELDS)):
            self.refuse(tree.entries[name], f"unknown field {name!r}: known are {', '.join(_FIELDS)}")
        effective_from = self.text(tree, "effective_from", _MONTH, "a month, 2026-03")
        effective_to = self.text(tree, "effective_to", _MONTH, "a month, 2026-07", required=False) or None
        if effective_to is not None and effective_to <= effective_from:
            self.refuse(
                tree.entries["effective_to"],
                f"effective_to {effective_to} is not after effective_from {effective_from}: it is the first month on "
                "which the card is not in force any more",
            )
        rounding = self.text(tree, "rounding", re.compile(ROUNDING), ROUNDING, required=False) or ROUNDING
        return RateCard(
            version=self.text(tree, "version", _VERSION, "numbers with dots, 2026.2"),
            effective_from=effective_from,
            effective_to=effective_to,
            currency=self.currency(tree),
            rounding=rounding,
            prices=self.prices(tree),
            prepared_by=self.text(tree, "prepared_by", None, "a name", required=False),
            approved_by=self.text(tree, "approved_by", None, "a name", required=False),
            note=self.text(tree, "note", None, "text", required=False),
            sha256=sha256,
            object_key=self.object_key,
        )

    def text(self, at: Branch, name: str, form: re.Pattern[str] | None, like: str, *, required: bool = True) -> str:
        entry = at.entries.get(name)
        if entry is None:
            if required:
                self.refuse(at, f"{name} is missing: state {like}")
            return ""
        if isinstance(entry, Branch) or (form is not None and not form.fullmatch(entry.text)):
            shown = "more lines" if isinstance(entry, Branch) else repr(entry.text)
            self.refuse(entry, f"{name} is {shown}, must be {like}")
            return ""
        return entry.text

    def currency(self, tree: Branch) -> str:
        code = self.text(tree, "currency", re.compile(r"[A-Z]{3}"), "an ISO 4217 code, EUR")
        try:
            return Currency(code).code if code else ""
        except ValueError as fault:
            self.refuse(tree.entries["currency"], str(fault))
            return ""

    def prices(self, tree: Branch) -> tuple[StatedPrice, ...]:
        accelerators = self.branch(tree, "accelerators", "prices per accelerator")
        prices: list[StatedPrice] = []
        for name, entry in accelerators.entries.items():
            priced = self.as_branch(entry, name, "prices per tier")
            slices = self.branch(priced, "slices", "slice profiles") if "slices" in priced.entries else None
            tiers = {tier: each for tier, each in priced.entries.items() if tier != "slices"}
            whole = self.tiers(name, Branch(tiers, priced.line), GPU_UNITS)
            prices += whole
            for profile, slice_entry in (slices.entries if slices else {}).items():
                prices += self.slice_prices(f"{name}:{profile}", slice_entry, whole)
        if not prices and not self.reasons:
            self.refuse(accelerators, "no price at all: state one per accelerator and tier")
        return tuple(sorted(prices, key=lambda price: (price.accelerator, price.tier)))

    def slice_prices(self, name: str, entry: Text | Branch, whole: list[StatedPrice]) -> list[StatedPrice]:
        priced = self.as_branch(entry, name, "prices per tier, or a billing_weight")
        stated = priced.entries.get("billing_weight")
        if stated is None:
            return self.tiers(name, priced, SLICE_UNITS)
        if len(priced.entries) > 1:
            others = ", ".join(sorted(set(priced.entries) - {"billing_weight"}))
            self.refuse(priced, f"{name} states a billing_weight and {others}: state a price or a weight, never both")
            return []
        text = stated.text if isinstance(stated, Text) else ""
        weight = Fraction(text) if _WEIGHT.fullmatch(text) else Fraction(0)
        if not 0 < weight <= 1:
            self.refuse(stated, f"{name}: billing_weight {text!r} must be a fraction above 0 and at most 1, 4/8")
            return []
        hourly = [price for price in whole if price.unit != "slice-hour"]
        if not hourly:
            self.refuse(
                stated, f"{name}: a billing_weight weighs the GPU's own price, and it has none: state that first"
            )
        return [StatedPrice(name, price.tier, price.price, price.unit, weight) for price in hourly]

    def tiers(self, name: str, priced: Branch, units: tuple[str, ...]) -> list[StatedPrice]:
        prices = []
        for tier, entry in priced.entries.items():
            if tier not in TIER.values:
                self.refuse(entry, f"{name}: unknown tier {tier!r}: known are {', '.join(TIER.values)}")
                continue
            stated = self.as_branch(entry, f"{name}, {tier}", "{price: 2.40, unit: GPU-hour}")
            for unknown in sorted(set(stated.entries) - {"price", "unit"}):
                self.refuse(stated, f"{name}, {tier}: unknown field {unknown!r}: known are price, unit")
            unit = self.text(stated, "unit", re.compile("|".join(units)), f"one of {', '.join(units)}")
            prices.append(StatedPrice(name, tier, self.price(stated, f"{name}, {tier}"), unit))
        return prices

    def price(self, stated: Branch, name: str) -> Decimal:
        text = self.text(stated, "price", _PRICE, "a plain decimal number, 2.385")
        price = Decimal(text or 0)
        decimals = len(text.partition(".")[2])
        if price < 0:
            self.refuse(stated, f"{name}: price {text} is negative: a credit is a line of its own kind, not a price")
        if decimals > PRICE_SCALE:
            self.refuse(
                stated,
                f"{name}: price {text} has {decimals} decimals, {decimals - PRICE_SCALE} more than a price "
                f"keeps: state it with at most {PRICE_SCALE}",
            )
        return price

    def branch(self, at: Branch, name: str, like: str) -> Branch:
        if name not in at.entries:
            self.refuse(at, f"{name} is missing: state {like}")
            return Branch({}, at.line)
        return self.as_branch(at.entries[name], name, like)

    def as_branch(self, entry: Text | Branch, name: str, like: str) -> Branch:
        if isinstance(entry, Branch):
            return entry
        self.refuse(entry, f"{name} is {entry.text!r}, must be {like}")
        return Branch({}, entry.line)
