"""Whether a rate card is signed for a month: by a record that counts, for exactly what the card says.

Not here: what makes a record count (chargeback/signatures/judgement.py), where cards and records stand.
"""

from collections.abc import Sequence
from dataclasses import replace

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.rate_card import RateCard
from chargeback.signatures.fields import same_person
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

KIND = "rate-card"
SHOWN_REASONS = 3


def approvable_card(card: RateCard) -> Approvable:
    """What is signed of a card: its version, the hash of what it says, and who prepared it by its own words."""
    return Approvable(KIND, card.version, card.content_sha256, card.prepared_by)


def records_about(card: RateCard, records: Sequence[LandedRecord]) -> list[LandedRecord]:
    """The records of rate cards that name this version or this content, by time of landing, then key."""
    chosen = [
        landed
        for landed in records
        if landed.signed.record.kind == KIND
        and (landed.signed.record.subject == card.version or landed.signed.record.content_sha256 == card.content_sha256)
    ]
    return sorted(chosen, key=lambda landed: (landed.landed_at, landed.object_key))


def signed_for_month(
    card: RateCard,
    records: Sequence[LandedRecord],
    *,
    keyring: Keyring | KeyringRefused | None,
    period: BillingPeriod,
) -> RateCard:
    """The card with `is_signed` and `signature` as they are for a month; the approval must hold to the month's end.

    `keyring` None: nothing is pinned, so nothing counts. Of several approvals that count the first to land is named.
    """
    if keyring is None:
        return _unsigned(card, ["no [signing] trust_root is set, so no signature counts"])
    if isinstance(keyring, KeyringRefused):
        return _unsigned(card, [f"no keyring is in force: {reason}" for reason in keyring.reasons])
    about = records_about(card, records)
    if not about:
        return _unsigned(card, [f"no record of approvals/ approves rate card {card.version}"])
    judged = [
        judge(landed, approvable_card(card), keyring=keyring, holds_until=period.interval.end) for landed in about
    ]
    reasons: list[str] = []
    for each in judged:
        if not isinstance(each, Counted):
            reasons += each
        elif card.approved_by and not same_person(card.approved_by, each.key.holder):
            reasons.append(f"the card says that {card.approved_by} approves it, {each.key.told()} signed it")
        else:
            return replace(card, is_signed=True, signature=f"signed: {each.told()}")
    return _unsigned(card, reasons)


def _unsigned(card: RateCard, reasons: Sequence[str]) -> RateCard:
    more = f" (and {len(reasons) - SHOWN_REASONS} more)" if len(reasons) > SHOWN_REASONS else ""
    return replace(card, is_signed=False, signature=f"unsigned: {'; '.join(reasons[:SHOWN_REASONS])}{more}")
