"""Which lines may not be posted yet: those that leave the platform's company before finance has said on what terms.

A line of another company, or of an owner whose class is external or intercompany, needs a class of such a kind in the
card with both a mark-up (0 % is one) and a tax code. Until then its whole journal entry is held: it stands on the
statement and in the journal, net of tax, and nothing sends it. Source: docs/decisions/0030.
Not here: what the mark-up does to a price (pricing/customer_classes.py), the check (held_findings.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chargeback.contracts.class_terms import ClassTerms

INTERNAL = ClassTerms("internal")


@dataclass(frozen=True, slots=True)
class PostingTerms:
    """On what terms lines are posted: the platform's company, and the terms of each class of the card in force.

    Without a company there are no books, so nothing leaves them.
    """

    platform_company: str
    classes: Mapping[str, ClassTerms] = field(default_factory=dict)

    def partner_of(self, company: str) -> str:
        """The company that an entry of this company is owed to; empty within the platform's own."""
        return "" if company == self.platform_company else self.platform_company

    def tax_code_of(self, customer_class: str) -> str:
        """The tax code of a class, empty where none is stated."""
        return self.classes.get(customer_class, INTERNAL).tax_code

    def why_held(self, company: str, customer_class: str) -> str:
        """What finance has to state before such a line may be posted, in words; empty if nothing."""
        terms = self.classes.get(customer_class, INTERNAL)
        is_other = bool(self.platform_company) and company not in ("", self.platform_company)
        if not is_other and not terms.is_outside:
            return ""
        if not terms.is_outside:
            class_name = f"class {customer_class} is {terms.kind}" if customer_class else "no customer class"
            return (
                f"{company} is another company than {self.platform_company} ({class_name}): name a customer class of "
                "kind intercompany or external in the ownership file, with mark_up and tax_code in the rate card"
            )
        if terms.missing:
            return (
                f"customer class {customer_class} ({terms.kind}): state {' and '.join(terms.missing)} in the rate card"
            )
        return ""

    def hold_of(self, company: str, customer_classes: Iterable[str]) -> str:
        """Why an entry of a company with lines of these classes is held, every reason once; empty if it is not."""
        return "; ".join(sorted({why for each in customer_classes if (why := self.why_held(company, each))}))
