"""Which open months a rate card, its signature or an ownership file changes: those whose content would be another.

Not here: reading people's files (resources/people_objects.py).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.contract import Contract
from chargeback.contracts.maps import MAPS
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.recognition import signed_kind_of
from orchestration.touching import Touching
from orchestration.workspace import Workspace
from resources.content_hash import content_hash, in_contract_order
from resources.decompression import Undecompressible
from resources.lake_records import PartitionState
from resources.landing import LandedObject
from resources.people_objects import PeopleRefused, faults_of

PLACE = ("object", "line", "card_sha256")


def months_of_cards(arrived: Sequence[LandedObject], *, workspace: Workspace, months: Sequence[str]) -> Touching:
    """The open months whose resolved prices, or the version that they come from, differ from what stands there."""
    found = Touching()
    cards = {key: card for key, card in _usable(found, arrived, workspace).items() if isinstance(card, RateCard)}
    periods = [BillingPeriod(month, workspace.settings.zone) for month in months if cards]
    states = workspace.lake.states(RATE_CARD, [Partition.of_month(period.month) for period in periods])
    for period in periods:
        covering = {key for key, card in cards.items() if _covers(card, period.month)}
        try:
            card, _ = workspace.people.rate_card(period, currency=workspace.settings.currency_code)
        except PeopleRefused as refusal:
            for key in covering | {key for key in cards if key in str(refusal)}:  # one that begins later, too
                found.refuse(key, str(refusal))
            continue
        rows = prices_of_month(card, period=period)
        if card.object_key in covering and differs_from_standing(rows, RATE_CARD, period.month, states, workspace):
            found.touch_month(period.month, RATE_CARD.table, {card.object_key})
    return found


def months_of_signatures(arrived: Sequence[LandedObject], *, workspace: Workspace, months: Sequence[str]) -> Touching:
    """The open months in which a keyring or a signed record makes another verdict on card or maps than stands there.

    Approvals of GPU counts among them are left to touched_approvals.py.
    """
    found = Touching()
    signed = [each for each in arrived if each.source == "keyrings" or _is_signed_record(each, workspace)]
    usable = set(_usable(found, signed, workspace))
    partitions = [Partition.of_month(month) for month in months if usable]
    states, of_maps = (workspace.lake.states(table, partitions) for table in (RATE_CARD, MAPS))
    for month in months if usable else ():
        period = BillingPeriod(month, workspace.settings.zone)
        try:
            maps, objects = workspace.people.maps(period, workspace.settings.maps)
        except PeopleRefused:  # a record that came before is unreadable: it was refused when it came, and decides all
            break
        if (decide := usable & set(objects)) and differs_from_standing(maps, MAPS, month, of_maps, workspace):
            found.touch_month(month, MAPS.table, decide)
        try:
            card, objects = workspace.people.rate_card(period, currency=workspace.settings.currency_code)
        except PeopleRefused:  # no card can be priced with; the refused card says so itself
            continue
        decide = usable & set(objects)
        if decide and differs_from_standing(prices_of_month(card, period=period), RATE_CARD, month, states, workspace):
            found.touch_month(month, RATE_CARD.table, decide)
    return found


def _is_signed_record(landed: LandedObject, workspace: Workspace) -> bool:
    try:
        return signed_kind_of(workspace.landing.read(landed)) is not None
    except Undecompressible:  # touched_approvals.py refuses it
        return False


def months_of_ownership(arrived: Sequence[LandedObject], *, workspace: Workspace, months: Sequence[str]) -> Touching:
    """The open months in which the latest ownership file names other owners than those that stand there."""
    found = Touching()
    usable = set(_usable(found, arrived, workspace))
    states = workspace.lake.states(OWNERSHIP, [Partition.of_month(month) for month in months if usable])
    for month in months if usable else ():
        try:
            rows, objects = workspace.people.ownership(BillingPeriod(month, workspace.settings.zone))
        except PeopleRefused as refusal:  # a later file than these is unreadable
            for key in usable:
                found.refuse(key, str(refusal))
            break
        in_force = usable & set(objects)
        if in_force and differs_from_standing(rows, OWNERSHIP, month, states, workspace):
            found.touch_month(month, OWNERSHIP.table, in_force)
    return found


def _usable(found: Touching, arrived: Sequence[LandedObject], workspace: Workspace) -> dict[str, RateCard | None]:
    """The objects that can be read, of cards with what they say; the others are refused with every reason."""
    usable: dict[str, RateCard | None] = {}
    for landed in arrived:
        try:
            content = workspace.landing.read(landed)
        except Undecompressible as damage:
            found.refuse(landed.key, str(damage))
            continue
        faults = faults_of(landed.source, content, name=landed.key)
        if faults:
            found.refuse(landed.key, "\n".join(faults))
            continue
        card = read_rate_card(content, object_key=landed.key) if landed.source == "rate-cards" else None
        usable[landed.key] = card if isinstance(card, RateCard) else None
    return usable


def _covers(card: RateCard, month: str) -> bool:
    return card.effective_from <= month and (card.effective_to is None or month < card.effective_to)


def differs_from_standing(
    rows: pl.DataFrame, contract: Contract, month: str, states: Mapping[str, PartitionState], workspace: Workspace
) -> bool:
    """Whether a month's rows say another thing than those that stand there; their place in a file says nothing.

    `states`: month -> what stands there of that contract; a month that is not in it differs.
    """
    state = states.get(month)
    if state is None:
        return True
    if content_hash(rows, contract) == state.content_hash:
        return False
    stands = workspace.lake.scan(contract, [Partition.of_month(month)]).frame.collect()
    said, stood = (in_contract_order(each, contract).drop(PLACE, strict=False) for each in (rows, stands))
    return not said.equals(stood)
