"""Objections of teams to a month, and finance's answers: signed records, each answer bound to the very objection.

An objection says what it is about (a line or a team) and why. It stays open until finance answers it; what is right in
it becomes other source data, another owner or a correction, never a changed line. Not here: the window (month_status.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chargeback.signatures.canonical import content_sha256
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

DISPUTE, ANSWER = "dispute", "answer"


@dataclass(frozen=True, slots=True)
class Objection:
    """One objection that counts: to what, by whom, why; and finance's answer, None while it has none."""

    month: str
    about: str
    by: str
    reason: str
    content_sha256: str
    answer: str | None


def objection_of(month: str, about: str, *, amount: str, prepared_by: str = "") -> Approvable:
    """What is signed: the line or team, and the amount that it had when somebody objected."""
    content = content_sha256({"month": month, "about": about, "amount": amount})
    return Approvable(DISPUTE, f"{month}/{about}", content, prepared_by)


def answer_of(objection: Objection, *, prepared_by: str = "") -> Approvable:
    """The answer to one objection, and to no other one of the same line."""
    return Approvable(ANSWER, f"{objection.month}/{objection.about}", objection.content_sha256, prepared_by)


def objections_of(
    month: str, records: Sequence[LandedRecord], keyring: Keyring | KeyringRefused | None
) -> list[Objection]:
    """The objections to a month whose signatures count, in order of landing, each with its answer."""
    if not isinstance(keyring, Keyring):
        return []
    ordered = sorted(records, key=lambda each: (each.landed_at, each.object_key))
    found = []
    for landed in ordered:
        record = landed.signed.record
        if record.kind == DISPUTE and record.subject.startswith(f"{month}/"):
            judged = _judged(landed, keyring, record.content_sha256)
            if isinstance(judged, Counted):
                content = content_sha256(landed.signed.document())
                about = record.subject.partition("/")[2]
                answer = _answer(ordered, keyring, record.subject, content)
                found.append(Objection(month, about, judged.key.told(), record.reason, content, answer))
    return found


def _answer(records: Sequence[LandedRecord], keyring: Keyring, subject: str, content: str) -> str | None:
    for landed in records:
        record = landed.signed.record
        if (record.kind, record.subject, record.content_sha256) == (ANSWER, subject, content):
            judged = _judged(landed, keyring, content)
            if isinstance(judged, Counted):
                return f"{record.reason} ({judged.key.told()})"
    return None


def _judged(landed: LandedRecord, keyring: Keyring, content: str) -> Counted | tuple[str, ...]:
    record = landed.signed.record
    return judge(landed, Approvable(record.kind, record.subject, content, record.prepared_by), keyring=keyring)
