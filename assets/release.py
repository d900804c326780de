"""The second guard: whatever lets something out verifies the certificate again, against what stands in the lake now.

Materialising `published` or `postings` alone, from the UI, meets the same refusal as the whole job (design.md 6).
"""

from datetime import datetime

from assets.certification import certify_month
from assets.enforcement import why_parallel
from assets.materialisation import Month
from assets.refusal import refusal, refused_as_failure
from assets.signatures import Signatures
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.maps import MAPS
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.certificate import Refused
from chargeback.ledger.postings import unsigned_cards
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.signatures.maps import unsigned_maps
from chargeback.signatures.objections import objections_of
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.lake_records import Scanned
from resources.people_objects import PeopleObjects
from resources.settings import Settings


def certificate_in_force(
    month: Month, *, lake: Lake, evidence: EvidenceStore, people: PeopleObjects, settings: Settings
) -> Scanned:
    """The month's certificate, if it certifies exactly what stands in the lake now.

    Raises dg.Failure with one line a reason otherwise.
    """
    held = lake.scan(CERTIFICATE, [month.partition])
    if reasons := _why_not(held, month, lake=lake, evidence=evidence, people=people, settings=settings):
        raise refusal(reasons)
    return held


def why_not_in_force(
    month: Month, *, lake: Lake, evidence: EvidenceStore, people: PeopleObjects, settings: Settings
) -> tuple[str, ...]:
    """Why the month has no certificate of what stands in the lake now, one line a reason; none if it has."""
    held = lake.scan(CERTIFICATE, [month.partition])
    return _why_not(held, month, lake=lake, evidence=evidence, people=people, settings=settings)


def _why_not(
    held: Scanned, month: Month, *, lake: Lake, evidence: EvidenceStore, people: PeopleObjects, settings: Settings
) -> tuple[str, ...]:
    name = month.period.month
    now = certify_month(month, lake=lake, evidence=evidence, people=people, settings=settings)
    if held.missing:
        reasons = now.reasons if isinstance(now, Refused) else ()
        return (f"{name}: there is no certificate; the gate has not passed this month", *reasons)
    if isinstance(now, Refused):
        return (f"{name}: the certificate does not hold any more", *now.reasons)
    if not now.frame.equals(held.frame.collect().sort(CERTIFICATE.key)):
        return (f"{name}: the certificate is of other contents; materialise certificate again",)
    return ()


def refuse_unsigned_card(month: Month, *, lake: Lake, people: PeopleObjects, settings: Settings) -> None:
    """Let nothing be sent at prices that finance has not signed: neither those that stand, nor the card as it is now.

    The card is judged anew from landing, since a key may have been revoked after the month was priced. In a parallel
    month nothing is sent, so nothing is refused. Raises dg.Failure.
    """
    if settings.mode == "parallel":
        return
    standing = lake.scan(RATE_CARD, [month.partition]).frame.collect()
    with refused_as_failure():
        card, _ = people.rate_card(month.period, currency=settings.currency_code)
    now = prices_of_month(card, period=month.period)
    found = [*unsigned_cards(standing, mode=settings.mode), *unsigned_cards(now, mode=settings.mode)]
    if found:
        told = (f"{month.period.month}: nothing is sent at an unsigned card: {card}: {why}" for card, _, why in found)
        raise refusal(list(dict.fromkeys(told)))


def refuse_unsigned_maps(month: Month, *, lake: Lake, people: PeopleObjects, settings: Settings) -> None:
    """Let nothing be sent by maps that finance has not signed: those that stand, and the settings' as they are now.

    In a parallel month nothing is sent, so nothing is refused. Raises dg.Failure.
    """
    if settings.mode == "parallel":
        return
    standing = lake.scan(MAPS, [month.partition]).frame.collect()
    with refused_as_failure():
        now, _ = people.maps(month.period, settings.maps)
    found = [*unsigned_maps(standing, mode=settings.mode), *unsigned_maps(now, mode=settings.mode)]
    if found:
        told = (f"{month.period.month}: nothing is sent by an unsigned map: {name}: {why}" for name, _, why in found)
        raise refusal(list(dict.fromkeys(told)))


def certificate_hash_of(held: Scanned) -> str:
    """The content hash of the certificate that was read."""
    (content,) = held.contents.values()
    return content


def refuse_to_send(
    month: Month, *, lake: Lake, evidence: EvidenceStore, people: PeopleObjects, settings: Settings, now: datetime
) -> None:
    """Let nothing into the finance system of a month that is not charged, certified, priced and mapped by signature.

    Whatever is materialised, and by whatever way, sending comes through here. A closed month is sent under the
    certificate that it was closed under. Raises dg.Failure with every reason.
    """
    with refused_as_failure():
        reasons = why_parallel(month, lake=lake, people=people, settings=settings)
    reasons = (*reasons, *_objected(month, people, settings, now))
    if reasons:
        raise refusal((*reasons, "nothing is sent"))
    intended = lake.scan(POSTINGS, [month.partition])
    certificates = set(intended.frame.select("certificate_hash").unique().collect()["certificate_hash"])
    under = lake.closed_under(CERTIFICATE, month.period.month)
    if under is None:
        refuse_unsigned_card(month, lake=lake, people=people, settings=settings)
        refuse_unsigned_maps(month, lake=lake, people=people, settings=settings)
        under = certificate_hash_of(
            certificate_in_force(month, lake=lake, evidence=evidence, people=people, settings=settings)
        )
    if intended.missing or certificates - {under}:
        told = f"{month.period.month}: postings rest on another certificate than {under[:12]}: materialise postings"
        raise refusal((told, "nothing is sent"))


def _objected(month: Month, people: PeopleObjects, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Why teams have not had their say: the window for objections is open, or finance has not answered one."""
    name = month.period.month
    until = settings.month_end.objections_until(month.period, settings.calendar.working_days)
    still = [f"{name}: teams may object until {until}"] if now.astimezone(settings.zone).date() <= until else []
    with refused_as_failure():
        signed = Signatures.of(people)
    waiting = [each for each in objections_of(name, signed.records, signed.keyring) if each.answer is None]
    return (*still, *(f"{name}: the objection to {each.about} by {each.by} is not answered" for each in waiting))
