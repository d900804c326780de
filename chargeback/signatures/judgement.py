"""Whether a signed record counts: for exactly this thing, by a key that may approve it, at a time when it was valid.

Nothing is read from a clock: the time of signing is held against the key's validity and against the time at which the
record landed, so that a key whose time is over cannot sign into the past. Not here: where records stand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from chargeback.signatures.fields import same_person, spelled
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keys import SHOWN_DIGITS, Key, is_signature_of
from chargeback.signatures.kinds import APPROVERS
from chargeback.signatures.record import Record, SignedRecord

CLOCKS_DIFFER = timedelta(minutes=10)
"""How far the clocks of the signer and of landing may be apart."""


@dataclass(frozen=True, slots=True)
class Approvable:
    """What is to be approved: its kind, its subject (month, card version, ...), its content hash, who prepared it."""

    kind: str
    subject: str
    content_sha256: str
    prepared_by: str


@dataclass(frozen=True, slots=True)
class LandedRecord:
    """A record where it stands, and when it came there."""

    signed: SignedRecord
    landed_at: datetime
    object_key: str


@dataclass(frozen=True, slots=True)
class Counted:
    """An approval that counts, and whose it is."""

    key: Key
    record: Record

    def told(self) -> str:
        """`approved by A. Berg (finance-lead, key 0123456789abcdef) at 2026-10-05T01:00:00Z`."""
        return f"approved by {self.key.told()} at {spelled(self.record.at)}"


def judge(
    landed: LandedRecord, thing: Approvable, *, keyring: Keyring, holds_until: datetime | None = None
) -> Counted | tuple[str, ...]:
    """The approval, or every reason why it does not count for this thing.

    `keyring` is the version in force; a key that is not in it any more has approved nothing. `holds_until` is the end
    of what the approval is used for (of a card: of the month that it prices); an approval that ends before is expired.
    Source: docs/decisions/0021; kinds.APPROVERS for the roles.
    """
    record, where = landed.signed.record, landed.object_key
    key = keyring.key(record.approved_by)
    if not landed.signed.signature or key is None:
        unsigned = "is a draft that nobody has signed"
        unknown = f"names key {record.approved_by[:SHOWN_DIGITS]}, which is not in keyring version {keyring.version}"
        return (f"{where} {unknown if landed.signed.signature else unsigned}",)
    if not is_signature_of(landed.signed.signature, landed.signed.message, public_key=key.public_key):
        return (f"{where} bears a signature that is not one of {key.told()} on this text: altered after signing",)
    reasons = (
        *_of_another_thing(record, thing),
        *_not_allowed(record, thing, key),
        *_not_in_time(record, key, landed.landed_at, holds_until),
    )
    return tuple(f"{where} {reason}" for reason in reasons) or Counted(key, record)


def _of_another_thing(record: Record, thing: Approvable) -> Iterator[str]:
    if record.kind != thing.kind:
        yield f"approves a {record.kind}, not a {thing.kind}"
    if record.subject != thing.subject:
        yield f"approves {record.kind} {record.subject}, not {thing.subject}"
    if record.content_sha256 != thing.content_sha256:
        yield (
            f"approves content {record.content_sha256[:12]}, this is {thing.content_sha256[:12]}: "
            "altered after signing, or another one"
        )


def _not_allowed(record: Record, thing: Approvable, key: Key) -> Iterator[str]:
    allowed = APPROVERS[thing.kind]
    if key.role not in allowed:
        yield f"is signed by {key.told()}: a {thing.kind} is approved by {' or '.join(allowed)}"
    if not thing.prepared_by.strip():
        yield f"is of a {thing.kind} that does not say who prepared it"
    elif not same_person(record.prepared_by, thing.prepared_by):
        yield f"says that {record.prepared_by} prepared it; the {thing.kind} itself says {thing.prepared_by}"
    if any(same_person(key.holder, preparer) for preparer in (record.prepared_by, thing.prepared_by)):
        yield f"is approved by {key.holder}, who prepared it: nobody approves what they prepared"


def _not_in_time(record: Record, key: Key, landed_at: datetime, holds_until: datetime | None) -> Iterator[str]:
    at = record.at
    if at is None:
        yield "does not say when it was signed"
        return
    for instant, what in ((at, "was signed"), (landed_at, "landed")):
        if not key.is_valid_at(instant):
            yield f"{what} at {spelled(instant)}, when {key.told()} was not valid ({key.validity()})"
    if at > landed_at + CLOCKS_DIFFER:
        yield f"says that it was signed at {spelled(at)}, which is after it landed ({spelled(landed_at)})"
    if record.until is not None and record.until <= at:
        yield f"ends at {spelled(record.until)}, before it was signed at {spelled(at)}"
    elif record.until is not None and holds_until is not None and record.until < holds_until:
        yield f"expired: it holds until {spelled(record.until)}, and would have to until {spelled(holds_until)}"
