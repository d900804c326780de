"""A signed record: who approved what, when, why and until when, bound to the hash of what was approved.

Everything stands inside what is signed: kind, subject, content and key. So a record of one month is none of another,
and a record of one content says nothing of a changed one. Not here: whether it counts (judgement.py).
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.canonical import NotCanonical, canonical_json, read_json, readable_json
from chargeback.signatures.fields import Unreadable, instant_of, mapping_of, sha256_of, spelled, text_of
from chargeback.signatures.keys import fingerprint_of, public_key_of, signature_of
from chargeback.signatures.kinds import KINDS
from chargeback.signatures.recognition import RECORD_FORMAT

_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_REQUIRED = ("kind", "subject", "content_sha256", "prepared_by", "reason")
_OPTIONAL = ("approved_by", "at", "until")


@dataclass(frozen=True, slots=True)
class Record:
    """What somebody approves. `approved_by` is the fingerprint of the key; `until` the first instant without it.

    Without `approved_by` and `at` it is a draft that waits for a signature.
    """

    kind: str
    subject: str
    content_sha256: str
    prepared_by: str
    reason: str
    approved_by: str = ""
    at: datetime | None = None
    until: datetime | None = None

    def document(self) -> dict[str, object]:
        """The record as a mapping of texts; what is not set is left out."""
        optional = {"approved_by": self.approved_by, "at": spelled(self.at), "until": spelled(self.until)}
        stated = {name: getattr(self, name) for name in _REQUIRED}
        return stated | {name: text for name, text in optional.items() if text}

    def told(self) -> str:
        """`rate-card 2026.2 (content 0123456789ab)`."""
        return f"{self.kind} {self.subject} (content {self.content_sha256[:12]})"


@dataclass(frozen=True, slots=True)
class SignedRecord:
    """A record and its signature, 128 hex digits; empty for a draft."""

    record: Record
    signature: str = ""

    @property
    def message(self) -> bytes:
        """The bytes that the signature is of. They name their format, so that no other signature can stand for one."""
        return message_of(self.record)

    def document(self) -> dict[str, object]:
        """The record and its signature as a mapping."""
        signed: dict[str, object] = {"format": RECORD_FORMAT, "record": self.record.document()}
        return signed | ({"signature": self.signature} if self.signature else {})

    def content(self) -> bytes:
        """The bytes of a record's file, for people to read; what is signed is `message`."""
        return readable_json(self.document())


def message_of(record: Record) -> bytes:
    """What a signature of this record signs."""
    return canonical_json({"format": RECORD_FORMAT, "record": record.document()})


def sign_record(record: Record, *, key: Ed25519PrivateKey, at: datetime) -> SignedRecord:
    """The record approved by a key at an instant. Whether the key may do that is for judgement.py to say."""
    approved = replace(record, approved_by=fingerprint_of(public_key_of(key)), at=at.replace(microsecond=0))
    return SignedRecord(approved, signature_of(message_of(approved), key))


def read_record(content: bytes) -> SignedRecord:
    """A record from its file. Raises Unreadable with one sentence."""
    try:
        return record_of(read_json(content))
    except NotCanonical as fault:
        raise Unreadable(f"signed record {fault}") from None


def record_of(value: object) -> SignedRecord:
    """A record from what its file says. Raises Unreadable with one sentence."""
    fields = mapping_of(value, "signed record", ("format", "record"), ("signature",))
    if fields["format"] != RECORD_FORMAT:
        raise Unreadable(f"signed record of format {fields['format']!r}, this code reads {RECORD_FORMAT}")
    stated = mapping_of(fields["record"], "the record", _REQUIRED, _OPTIONAL)
    record = Record(
        kind=text_of(stated, "kind"),
        subject=text_of(stated, "subject"),
        content_sha256=sha256_of(stated, "content_sha256"),
        prepared_by=text_of(stated, "prepared_by"),
        reason=text_of(stated, "reason"),
        approved_by=sha256_of(stated, "approved_by", may_be_empty=True),
        at=instant_of(stated, "at"),
        until=instant_of(stated, "until"),
    )
    if record.kind not in KINDS:
        raise Unreadable(f"kind is {record.kind!r}, must be one of {', '.join(KINDS)}")
    signature = text_of(fields, "signature", may_be_empty=True)
    if signature and not _SIGNATURE.fullmatch(signature):
        raise Unreadable(f"signature is {len(signature)} characters long, must be 128 hex digits in lower case")
    if signature and not (record.approved_by and record.at):
        raise Unreadable("signed record has a signature and no approved_by or no at: it was changed after signing")
    return SignedRecord(record, signature)
