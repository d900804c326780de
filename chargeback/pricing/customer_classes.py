"""Customer classes of a card: who pays the stated rate, who is excused from what, and who pays more.

    customer_classes:
      internal: {kind: internal}
      federal: {kind: federal, grant_funded: excluded}
      partners: {kind: external, grant_funded: included, mark_up: 25 %, tax_code: V19}
      sister: {kind: intercompany, mark_up: 0 %, tax_code: IC0}     # owners of another company of the group

A class pays every price of the card x (1 + grant-funded part / rate, if included) x (1 + mark-up) x (1 - subsidy),
rounded once to the card's rate_scale. Without the section everybody pays what the card states. What an external or
intercompany class owes is posted only where its mark-up (0 % is one) and tax code are stated (ledger/held_entries.py);
amounts are net of tax.
Source: 2 CFR 200.468: rates do not discriminate between federal awards and other internal use; 200.436: depreciation
of what a grant paid for is not charged to federal awards. Not here: who belongs to which class.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, cast

from chargeback.contracts.class_terms import OUTSIDE, ClassTerms
from chargeback.money import fraction_of
from chargeback.pricing.build_up_rate import at_scale, exact_rate, grant_funded_rate
from chargeback.pricing.card_build_up import BuildUp
from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.stated_price import StatedPrice
from chargeback.pricing.yaml_tree import Branch

Kind = Literal["internal", "federal", "external", "intercompany"]

TAX_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}")

_FIELDS = ("kind", "grant_funded", "mark_up", "subsidy", "tax_code")


@dataclass(frozen=True, slots=True)
class CustomerClass:
    """A group of customers and by what its prices differ from those that the card states.

    `states_mark_up`: the card says a mark-up, be it 0 %; `tax_code`: the finance system's, empty where none is stated.
    """

    name: str
    kind: Kind
    pays_grant_funded: bool = False
    mark_up: Fraction = Fraction(0)
    subsidy: Fraction = Fraction(0)
    states_mark_up: bool = False
    tax_code: str = ""

    @property
    def terms(self) -> ClassTerms:
        """On what terms it is posted."""
        per_cent = self.mark_up * 100  # read from decimals, so it ends
        spelled = f"{(Decimal(per_cent.numerator) / Decimal(per_cent.denominator)).normalize():f} %"
        return ClassTerms(self.kind, spelled if self.states_mark_up else "", self.tax_code)


def class_price(price: StatedPrice, customers: CustomerClass, build_ups: Sequence[BuildUp], *, scale: int) -> Decimal:
    """What a class pays for what the card prices, per unit of that price, to the card's scale or the price's own."""
    factor = (1 + customers.mark_up) * (1 - customers.subsidy)
    built = next((each for each in build_ups if each.accelerator == price.accelerator.partition(":")[0]), None)
    if customers.pays_grant_funded and built is not None and exact_rate(built) > 0:
        factor *= 1 + grant_funded_rate(built) / exact_rate(built)
    if factor == 1:
        return price.price
    return at_scale(fraction_of(price.price) * factor, max(scale, -int(price.price.as_tuple().exponent)))


def unequal_classes(
    prices: Sequence[StatedPrice], classes: Sequence[CustomerClass], build_ups: Sequence[BuildUp], *, scale: int
) -> list[tuple[str, str, str]]:
    """Internal or federal classes that pay more than an internal one: what, what it may cost at most, what is paid.

    A federal class may pay less, one outside the company more.
    """
    found = []
    for price in prices:
        paid = {each: class_price(price, each, build_ups, scale=scale) for each in classes}
        internal = [each for each in classes if each.kind == "internal"]
        if not internal:
            continue
        least = min(internal, key=lambda each: (paid[each], each.name))
        for each in classes:
            if each.kind not in OUTSIDE and paid[each] > paid[least]:
                more = paid[each] - paid[least]
                found.append(
                    (
                        f"{price.accelerator} {price.tier}",
                        f"{paid[least]} per {price.unit}, what {least.name} pays",
                        f"{each.name} ({each.kind}) pays {paid[each]}, {more} more",
                    )
                )
    return found


def read_customer_classes(fields: CardFields, tree: Branch) -> tuple[CustomerClass, ...]:
    """The section `customer_classes` of a card; none where it has none."""
    if "customer_classes" not in tree.entries:
        return ()
    section = fields.branch(tree, "customer_classes", "classes and their kind")
    return tuple(_class(fields, name, fields.as_branch(entry, name, "{kind: internal}"))
                 for name, entry in section.entries.items())  # fmt: skip


def _class(fields: CardFields, name: str, entry: Branch) -> CustomerClass:
    fields.refuse_unknown(entry, _FIELDS, f"customer class {name}: ")
    kinds = "internal, federal, external or intercompany"
    kind = fields.text(entry, "kind", re.compile("internal|federal|external|intercompany"), kinds)
    tax_code = fields.text(entry, "tax_code", TAX_CODE, "a code of the finance system, V19", required=False)
    grant = fields.text(entry, "grant_funded", re.compile("excluded|included"), "excluded or included", required=False)
    mark_up, subsidy = (fields.percent(entry, field, default=Fraction(0)) for field in ("mark_up", "subsidy"))
    if kind == "federal" and grant == "included":
        fields.refuse(
            entry.entries["grant_funded"],
            f"customer class {name} is federal and would pay for what a grant has paid for: it must be excluded",
        )
    if subsidy > 1:
        fields.refuse(entry.entries["subsidy"], f"customer class {name}: subsidy is {subsidy * 100} %, at most 100 %")
    states_mark_up = "mark_up" in entry.entries
    return CustomerClass(
        name, cast(Kind, kind or "internal"), grant == "included", mark_up, subsidy, states_mark_up, tax_code or ""
    )
