"""A rate card: versioned, effective-dated prices per accelerator, slice profile and tier, read from YAML.

    version: "2026.2"
    effective_from: 2026-03          # first month
    effective_to: 2026-07            # first month on which it is not in force any more; leave out while open
    currency: EUR
    rate_scale: 4                    # decimals of rates that are computed, from a build-up or a discount
    accelerators:
      a100-sxm4-80gb:
        standard: {price: 1.10, unit: GPU-hour}        # GPU-hour, month (that month's hours) or month_730
        slices:
          3g.40gb:
            standard: {price: 0.60, unit: slice-hour}  # stated, or ...
          1g.10gb: {billing_weight: 1/8}               # ... a part of every tier's GPU price; never both

Prices alone are a whole card. What else it may state is described where it is read: card_build_up.py (what a rate is
made of), card_prices.py (discounts), billing_weights.py (geometries), card_policies.py, customer_classes.py,
gpu_equivalents.py. Errors are values: every one a line that says what, where, how far off and what to do.
Not here: which card is in force and what it costs in a month (prices_of_month.py); signatures (card_signature.py).
"""

import hashlib
import re
from dataclasses import dataclass, replace

from chargeback.money import Currency
from chargeback.pricing.billing_weights import Geometry, read_geometries
from chargeback.pricing.card_build_up import BuildUp, read_build_up
from chargeback.pricing.card_fields import MONTH, CardFields
from chargeback.pricing.card_findings import card_findings
from chargeback.pricing.card_policies import NOTHING_STATED, CardPolicies, read_policies
from chargeback.pricing.card_prices import read_prices
from chargeback.pricing.customer_classes import CustomerClass, read_customer_classes
from chargeback.pricing.gpu_equivalents import NodeShape, read_node_shape
from chargeback.pricing.stated_price import PRICE_SCALE, StatedPrice
from chargeback.pricing.yaml_tree import Branch, read_tree, texts_of
from chargeback.signatures.canonical import content_sha256

ROUNDING = "half-even"
RATE_SCALE = 4
NO_SIGNATURE = "unsigned: nobody has looked for a signature"

_FIELDS = (
    "version", "effective_from", "effective_to", "currency", "rounding", "rate_scale", "prepared_by", "approved_by",
    "reason", "supersedes", "note", "policies", "customer_classes", "accelerators",
)  # fmt: skip
_BESIDE_TIERS = ("slices", "build_up", "geometries", "node")
VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


@dataclass(frozen=True, slots=True)
class RateCard:
    """One version of the card. `effective_from` and `effective_to` are months, half-open; an open end is None.

    `sha256` is of its bytes, `content_sha256` of what they say; `signature` tells who signed it, or why nobody has.
    `supersedes` is the version whose place it takes, '' if none. `build_ups`, `geometries` and `node_shapes` are those
    of the accelerators that have one; no `customer_classes`: everybody pays what is stated.
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
    rate_scale: int = RATE_SCALE
    reason: str = ""
    supersedes: str = ""
    build_ups: tuple[BuildUp, ...] = ()
    geometries: tuple[Geometry, ...] = ()
    node_shapes: tuple[NodeShape, ...] = ()
    policies: CardPolicies = NOTHING_STATED
    customer_classes: tuple[CustomerClass, ...] = ()

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

    Numbers are read as they are written, never through a float. What the card says is then held against itself
    (card_findings.py). Source: design.md 5.7.
    """
    tree = read_tree(content)
    if isinstance(tree, list):
        return CardRefused(tuple(f"rate card {object_key}: {refusal}" for refusal in tree))
    fields = CardFields(object_key)
    card = _card(fields, tree, hashlib.sha256(content).hexdigest())
    if not fields.reasons:
        accelerators = fields.branch(tree, "accelerators", "prices per accelerator").entries
        for accelerator, what in card_findings(card):
            fields.refuse(accelerators[accelerator], what)
    return CardRefused(tuple(fields.reasons)) if fields.reasons else replace(card, content_sha256=said_sha256(tree))


def said_sha256(tree: Branch) -> str:
    """The hash of what a card says, which signatures are of: a comment, a space or another order changes nothing."""
    return content_sha256(texts_of(tree))


def _card(fields: CardFields, tree: Branch, sha256: str) -> RateCard:
    fields.refuse_unknown(tree, _FIELDS)
    effective_from = fields.text(tree, "effective_from", MONTH, "a month, 2026-03")
    effective_to = fields.text(tree, "effective_to", MONTH, "a month, 2026-07", required=False) or None
    if effective_to is not None and effective_to <= effective_from:
        fields.refuse(
            tree.entries["effective_to"],
            f"effective_to {effective_to} is not after effective_from {effective_from}: it is the first month on "
            "which the card is not in force any more",
        )
    scale = _rate_scale(fields, tree)
    accelerators = _Accelerators(fields, effective_from, effective_to, scale)
    stated = fields.branch(tree, "accelerators", "prices per accelerator")
    for name, entry in stated.entries.items():
        accelerators.add(name, fields.as_branch(entry, name, "prices per tier"))
    if not accelerators.prices and not fields.reasons:
        fields.refuse(stated, "no price at all: state one per accelerator and tier")
    version = fields.text(tree, "version", VERSION, "numbers with dots, 2026.2")
    return RateCard(
        version=version,
        effective_from=effective_from,
        effective_to=effective_to,
        currency=_currency(fields, tree),
        rounding=fields.text(tree, "rounding", re.compile(ROUNDING), ROUNDING, required=False) or ROUNDING,
        prices=tuple(sorted(accelerators.prices, key=lambda price: (price.accelerator, price.tier))),
        prepared_by=fields.text(tree, "prepared_by", None, "a name", required=False),
        approved_by=fields.text(tree, "approved_by", None, "a name", required=False),
        note=fields.text(tree, "note", None, "text", required=False),
        sha256=sha256,
        object_key=fields.object_key,
        rate_scale=scale,
        reason=fields.text(tree, "reason", None, "text", required=False),
        supersedes=_supersedes(fields, tree, version),
        build_ups=tuple(accelerators.build_ups),
        geometries=tuple(accelerators.geometries),
        node_shapes=tuple(accelerators.node_shapes),
        policies=read_policies(fields, tree),
        customer_classes=read_customer_classes(fields, tree),
    )


class _Accelerators:
    """What the section `accelerators` says, collected accelerator by accelerator."""

    def __init__(self, fields: CardFields, effective_from: str, effective_to: str | None, scale: int) -> None:
        self.fields, self.scale = fields, scale
        self.effective_from, self.effective_to = effective_from, effective_to
        self.prices: list[StatedPrice] = []
        self.build_ups: list[BuildUp] = []
        self.geometries: list[Geometry] = []
        self.node_shapes: list[NodeShape] = []

    def add(self, name: str, entry: Branch) -> None:
        sections = {each: self.fields.branch(entry, each, "entries") for each in _BESIDE_TIERS if each in entry.entries}
        tiers = {tier: each for tier, each in entry.entries.items() if tier not in _BESIDE_TIERS}
        build_up = None
        if "build_up" in sections:
            build_up = read_build_up(
                self.fields, name, sections["build_up"],
                effective_from=self.effective_from, effective_to=self.effective_to,
            )  # fmt: skip
            self.build_ups.append(build_up)
        if "geometries" in sections:
            self.geometries += read_geometries(self.fields, name, sections["geometries"])
        if "node" in sections:
            self.node_shapes.append(read_node_shape(self.fields, name, sections["node"]))
        slices = sections.get("slices", Branch({}, entry.line))
        priced = Branch(tiers, entry.line)
        self.prices += read_prices(self.fields, name, priced, slices, scale=self.scale, build_up=build_up)


def _rate_scale(fields: CardFields, tree: Branch) -> int:
    scale = fields.count(tree, "rate_scale", default=RATE_SCALE)
    if scale > PRICE_SCALE:
        fields.refuse(
            tree.entries["rate_scale"], f"rate_scale is {scale}: a price keeps at most {PRICE_SCALE} decimals"
        )
    return min(scale, PRICE_SCALE)


def _supersedes(fields: CardFields, tree: Branch, version: str) -> str:
    supersedes = fields.text(tree, "supersedes", VERSION, "the version whose place it takes, 2026.1", required=False)
    if supersedes and version and _order(supersedes) >= _order(version):
        fields.refuse(
            tree.entries["supersedes"], f"version {version} cannot supersede {supersedes}: give it a higher version"
        )
    return supersedes


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _currency(fields: CardFields, tree: Branch) -> str:
    code = fields.text(tree, "currency", re.compile(r"[A-Z]{3}"), "an ISO 4217 code, EUR")
    try:
        return Currency(code).code if code else ""
    except ValueError as fault:
        fields.refuse(tree.entries["currency"], str(fault))
        return ""
