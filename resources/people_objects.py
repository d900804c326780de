"""What people put into landing/: rate cards, ownership, approvals, keyrings, the general ledger. Read whole.

A file that cannot be read is refused with every reason (PeopleRefused); nothing older is used in its place silently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.ledger.finance_reference import Reference, read_finance_reference
from chargeback.ledger.general_ledger import GeneralLedger, read_general_ledger
from chargeback.ledger.recovery import ledger_of_month
from chargeback.money import Currency
from chargeback.pricing.card_signature import records_about, signed_for_month
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import card_in_force
from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card
from chargeback.signatures.fields import Unreadable
from chargeback.signatures.keyring import read_keyring
from chargeback.signatures.maps import NamedMap, maps_of_month
from chargeback.signatures.maps import records_about as records_of_maps
from chargeback.signatures.recognition import signed_kind_of
from chargeback.signatures.record import read_record
from chargeback.usage.gpu_approvals import GpuCountApproval, parse_approvals
from chargeback.usage.people_kinds import is_finance_reference, is_general_ledger
from resources.landing import LandedObject, Landing
from resources.signed_objects import SignedObjects

Shas = Mapping[str, str]


class PeopleRefused(Exception):
    """A landed file of people cannot be used; one line a reason."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class PeopleObjects:
    """Reads rate-cards/, ownership/ and approvals/ of landing. Without a `trust_root` no signature counts."""

    landing: Landing
    trust_root: str | None = None

    @property
    def signed(self) -> SignedObjects:
        """Its keyrings and signed records."""
        return SignedObjects(self.landing, self.trust_root)

    def rate_card(self, period: BillingPeriod, *, currency: str) -> tuple[RateCard, Shas]:
        """The card in force in a month, signed or not, and all objects that say so.

        Raises PeopleRefused if any landed card or signed record is unreadable, or no card is in force.
        """
        chosen = card_in_force(self.rate_cards(), period=period, currency=currency)
        if isinstance(chosen, CardRefused):
            raise PeopleRefused(chosen.reasons)
        return self.signed_or_not(chosen, period)

    def rate_cards(self) -> list[RateCard]:
        """Every landed card. Raises PeopleRefused if one of them is unreadable, with every reason."""
        objects = self.landing.objects("rate-cards", None)
        read = [read_rate_card(self.landing.read(landed), object_key=landed.key) for landed in objects]
        refused = tuple(reason for card in read if isinstance(card, CardRefused) for reason in card.reasons)
        if refused:
            raise PeopleRefused(refused)
        return [card for card in read if isinstance(card, RateCard)]

    def signed_or_not(self, card: RateCard, period: BillingPeriod) -> tuple[RateCard, Shas]:
        """A card as what landed signs it for a month, and the objects that decide. Raises PeopleRefused."""
        keyring, shas = self.signed.keyring()
        if keyring is None:
            return signed_for_month(card, [], keyring=None, period=period), {card.object_key: card.sha256}
        try:
            records, record_shas = self.signed.records()
        except Unreadable as fault:
            raise PeopleRefused((str(fault),)) from None
        about = records_about(card, records)
        judged = signed_for_month(card, about, keyring=keyring, period=period)
        read = {landed.object_key: record_shas[landed.object_key] for landed in about}
        return judged, {card.object_key: card.sha256, **shas, **read}

    def maps(self, period: BillingPeriod, maps: Sequence[NamedMap]) -> tuple[pl.DataFrame, Shas]:
        """contracts.maps of a month: the maps of the settings as what landed signs them, and the objects that decide.

        Raises PeopleRefused if a signed record is unreadable.
        """
        keyring, shas = self.signed.keyring()
        if keyring is None:
            return maps_of_month(maps, [], keyring=None, period=period), {}
        try:
            records, record_shas = self.signed.records()
        except Unreadable as fault:
            raise PeopleRefused((str(fault),)) from None
        about = records_of_maps(maps, records)
        read = {landed.object_key: record_shas[landed.object_key] for landed in about}
        return maps_of_month(maps, about, keyring=keyring, period=period), {**shas, **read}

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

    def general_ledger(self, month: str, currency: Currency) -> tuple[GeneralLedger | None, Shas]:
        """A month's part of the latest extract of the general ledger that names it; None if none does.

        Every extract that names it is an input: the latest follows from all of them. Finance's other figures in
        finance-reference/ are left alone.
        """
        naming: dict[LandedObject, GeneralLedger] = {}
        for landed in self.landing.objects("finance-reference", None):
            content = self.landing.read(landed)
            if is_general_ledger(content):
                ledger = read_general_ledger(content, object_key=landed.key, currency=currency)
                if month in ledger.months:
                    naming[landed] = ledger
        return ledger_of_month(list(naming.values()), month), _shas(list(naming))

    def finance_reference(self, month: str, currency: Currency) -> tuple[tuple[Reference, ...], Shas]:
        """Finance's own figures of a month, by the latest file that names it; none if none does.

        Raises PeopleRefused if that file has a row that cannot be read: half of finance's figures are not finance's.
        """
        for landed in reversed(self.landing.objects("finance-reference", None)):
            content = self.landing.read(landed)
            if is_finance_reference(content):
                read = read_finance_reference(content, object_key=landed.key, currency=currency)
                if read.faults and (month in read.months or not read.rows):
                    raise PeopleRefused(read.faults)
                if month in read.months:
                    return read.of_month(month), _shas([landed])
        return (), {}

    def gpu_count_approvals(self, cluster: str) -> tuple[list[GpuCountApproval], Shas]:
        """Entries that settle unknown GPU counts of a cluster. Raises PeopleRefused for an unreadable file.

        Signed records lie in approvals/ too; no day follows from them.
        """
        objects: list[LandedObject] = []
        approvals: list[GpuCountApproval] = []
        for landed in self.landing.objects("approvals", None):
            content = self.landing.read(landed)
            if signed_kind_of(content):
                continue
            objects.append(landed)
            parsed = parse_approvals(content)
            if parsed.findings:
                raise PeopleRefused(tuple(f"{landed.key}: {finding}" for finding in parsed.findings))
            approvals.extend(parsed.approvals)
        return [approval for approval in approvals if approval.cluster == cluster], _shas(objects)


def faults_of(source: str, content: bytes, *, name: str) -> list[str]:
    """What makes a file of people unusable, one line a fault, before it is kept: landing cannot be mended."""
    if source == "keyrings" or signed_kind_of(content):
        return _faults_of_signed(source, content, name)
    if source == "rate-cards":
        card = read_rate_card(content, object_key=name)
        return list(card.reasons) if isinstance(card, CardRefused) else []
    if source == "ownership":
        return read_ownership(content, object_key=name)[1]
    if source == "finance-reference":
        return _faults_of_ledger(content, name)
    if source == "approvals":
        return [f"{name}: {finding}" for finding in parse_approvals(content).findings]
    return []


def _faults_of_ledger(content: bytes, name: str) -> list[str]:
    """A row that cannot be read is quarantined later; an extract without a single one that can is refused.

    Finance's own figures are refused for any row.
    """
    if is_finance_reference(content):
        return list(read_finance_reference(content, object_key=name).faults)
    if not is_general_ledger(content):
        return []
    ledger = read_general_ledger(content, object_key=name)
    return [] if ledger.posted else [row.said for row in ledger.quarantined] or [f"{name} has no row"]


def _faults_of_signed(source: str, content: bytes, name: str) -> list[str]:
    kind = signed_kind_of(content)
    if (source, kind) not in (("keyrings", "keyring"), ("approvals", "record")):
        said = {"keyring": "a keyring, for keyrings", "record": "a signed record, for approvals"}
        return [f"{name} is {said[kind] if kind else 'no keyring'}, not for {source}"]
    try:
        if kind == "keyring":
            read_keyring(content)
        elif not read_record(content).signature:
            return [f"{name} is a draft that nobody has signed: chargeback key sign {name}"]
    except Unreadable as fault:
        return [f"{name}: {fault}"]
    return []


def _shas(objects: list[LandedObject]) -> dict[str, str]:
    return {landed.key: landed.sha256 for landed in objects}
