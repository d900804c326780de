"""Which landed files of people change a closed month: they ask for corrections of the month that books them.

Not here: open months (touched_months.py), the difference itself (assets/corrections.py).
"""

from collections.abc import Sequence

from assets.closed_months import booking_month, closed_months, differs_from_closing, looked_at
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.correction_policy import KIND
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.signatures.fields import Unreadable
from orchestration.touching import Touching, is_taken
from orchestration.workspace import Workspace
from resources.landing import LandedObject
from resources.people_objects import PeopleRefused


def corrections_of_people(arrived: Sequence[LandedObject], *, source: str, workspace: Workspace) -> Touching:
    """The month that books corrections, if a card, ownership file or approval of corrections asks for them anew.

    An object that the month's corrections were made from touches it no more.
    """
    found, lake = Touching(), workspace.lake
    booking = booking_month(closed_months(lake))
    if booking is None:
        return found
    state = lake.state(CORRECTIONS, Partition.of_month(booking))
    new = {each.key for each in arrived if state is None or not is_taken(state, each.key)}
    for name in looked_at(booking, lake=lake, settings=workspace.settings) if new else ():
        if changing := new & _changing(name, source, workspace):
            found.touch_month(booking, CORRECTIONS.table, changing)
    if new and source == "approvals" and (signing := new & _approving(booking, workspace)):
        found.touch_month(booking, CORRECTIONS.table, signing)
    return found


def _changing(month: str, source: str, workspace: Workspace) -> set[str]:
    """Objects that are in force in a closed month and say another thing of it than it was closed with."""
    period = BillingPeriod(month, workspace.settings.zone)
    try:
        if source == "rate-cards":
            card, _ = workspace.people.rate_card(period, currency=workspace.settings.currency_code)
            prices = prices_of_month(card, period=period)
            return {card.object_key} if differs_from_closing(period, prices, RATE_CARD, workspace.lake) else set()
        if source == "ownership":
            rows, objects = workspace.people.ownership(period)
            return set(objects) if differs_from_closing(period, rows, OWNERSHIP, workspace.lake) else set()
    except PeopleRefused:  # what cannot be used says so where open months are looked at
        return set()
    return set()


def _approving(booking: str, workspace: Workspace) -> set[str]:
    """Records that approve corrections of the month."""
    try:
        records, _ = workspace.people.signed.records()
    except Unreadable:  # what cannot be read says so where signatures are looked at
        return set()
    return {
        landed.object_key
        for landed in records
        if (landed.signed.record.kind, landed.signed.record.subject) == (KIND, booking)
    }
