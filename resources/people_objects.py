"""What people put into landing/: rate cards, ownership, approvals. Read whole, since they are small.

A file that cannot be read is refused with every reason (PeopleRefused); nothing older is used in its place silently.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import card_in_force
from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card
from chargeback.usage.gpu_approvals import GpuCountApproval, parse_approvals
from resources.landing import LandedObject, Landing

Shas = Mapping[str, str]


class PeopleRefused(Exception):
    """A landed file of people cannot be used; one line a reason."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class PeopleObjects:
    """Reads rate-cards/, ownership/ and approvals/ of landing."""

    landing: Landing

    def rate_card(self, period: BillingPeriod, *, currency: str) -> tuple[RateCard, Shas]:
        """The card in force in a month. Raises PeopleRefused if any landed card is unreadable or none is in force."""
        chosen = card_in_force(self.rate_cards(), period=period, currency=currency)
        if isinstance(chosen, CardRefused):
            raise PeopleRefused(chosen.reasons)
        return chosen, {chosen.object_key: chosen.sha256}

    def rate_cards(self) -> list[RateCard]:
        """Every landed card. Raises PeopleRefused if one of them is unreadable, with every reason."""
        objects = self.landing.objects("rate-cards", None)
        read = [read_rate_card(self.landing.read(landed), object_key=landed.key) for landed in objects]
        refused = tuple(reason for card in read if isinstance(card, CardRefused) for reason in card.reasons)
        if refused:
            raise PeopleRefused(refused)
        return [card for card in read if isinstance(card, RateCard)]

    def ownership(self, period: BillingPeriod) -> tuple[pl.DataFrame, Shas]:
        """The latest ownership file, cut to a month; no file at all leaves everything unattributed.

        Raises PeopleRefused if a row of it cannot be read.
        """
        objects = self.landing.objects("ownership", None)
        if not objects:
            return OWNERSHIP.empty(), {}
        latest = objects[-1]
        rows, refused = read_ownership(self.landing.read(latest), object_key=latest.key)
        if refused:
            raise PeopleRefused(tuple(refused))
        return ownership_of_month(rows, period=period), _shas([latest])

    def gpu_count_approvals(self, cluster: str) -> tuple[list[GpuCountApproval], Shas]:
        """Entries that settle unknown GPU counts of a cluster. Raises PeopleRefused for an unreadable file."""
        objects = self.landing.objects("approvals", None)
        approvals: list[GpuCountApproval] = []
        for landed in objects:
            parsed = parse_approvals(self.landing.read(landed))
            if parsed.findings:
                raise PeopleRefused(tuple(f"{landed.key}: {finding}" for finding in parsed.findings))
            approvals.extend(parsed.approvals)
        return [approval for approval in approvals if approval.cluster == cluster], _shas(objects)


def faults_of(source: str, content: bytes, *, name: str) -> list[str]:
    """What makes a file of people unusable, one line a fault, before it is kept: landing cannot be mended."""
    if source == "rate-cards":
        card = read_rate_card(content, object_key=name)
        return list(card.reasons) if isinstance(card, CardRefused) else []
    if source == "ownership":
        return read_ownership(content, object_key=name)[1]
    if source == "approvals":
        return [f"{name}: {finding}" for finding in parse_approvals(content).findings]
    return []


def _shas(objects: list[LandedObject]) -> dict[str, str]:
    return {landed.key: landed.sha256 for landed in objects}
