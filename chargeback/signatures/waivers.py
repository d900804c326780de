"""Waivers: finance lets a month pass although a check found something that stops nothing, by name and until a day.

A waiver is of one check in one month and of exactly what was found there; another finding needs another one. It must
say when it ends, and hold to the end of its month. Source: docs/decisions/0035. Not here: which checks warn (checks/).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chargeback.signatures.canonical import content_sha256
from chargeback.signatures.fields import spelled
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused

KIND = "waiver"


@dataclass(frozen=True, slots=True)
class Waivers:
    """What landed that is signed, as far as it is about waivers of one month. `until`: the end of that month."""

    month: str
    ends: datetime
    records: Sequence[LandedRecord]
    keyring: Keyring | KeyringRefused | None

    def of(self, check: str, findings: Mapping[str, str]) -> str | tuple[str, ...]:
        """Who waived what a check found (partition -> evidence), in words; or why nobody has."""
        thing = waiver_of(self.month, check, findings)
        if self.keyring is None:
            return ("no signature counts yet: [signing] trust_root pins no keyring",)
        if isinstance(self.keyring, KeyringRefused):
            return self.keyring.reasons
        reasons: list[str] = []
        for landed in self._about(thing.subject):
            judged = self._judged(landed, thing.content_sha256, self.keyring)
            if isinstance(judged, Counted):
                return told(judged)
            reasons += judged
        return tuple(reasons) or (f"nobody has signed the waiver of {thing.subject}",)

    def printed(self) -> dict[str, str]:
        """`waiver of CHECK` -> who gave it, until when and why: those whose signatures count, whatever was found."""
        if not isinstance(self.keyring, Keyring):
            return {}
        found = {}
        for landed in self._about(f"{self.month}/"):
            judged = self._judged(landed, landed.signed.record.content_sha256, self.keyring)
            if isinstance(judged, Counted):
                found[f"waiver of {judged.record.subject.partition('/')[2]}"] = told(judged)
        return dict(sorted(found.items()))

    def _about(self, subject: str) -> list[LandedRecord]:
        about = [
            each
            for each in self.records
            if each.signed.record.kind == KIND and each.signed.record.subject.startswith(subject)
        ]
        return sorted(about, key=lambda each: (each.landed_at, each.object_key))

    def _judged(self, landed: LandedRecord, content: str, keyring: Keyring) -> Counted | tuple[str, ...]:
        record = landed.signed.record
        if record.until is None:
            return (f"{landed.object_key} does not say when it ends: a waiver has to",)
        thing = Approvable(KIND, record.subject, content, record.prepared_by)
        return judge(landed, thing, keyring=keyring, holds_until=self.ends)


def waiver_of(month: str, check: str, findings: Mapping[str, str], *, prepared_by: str = "") -> Approvable:
    """What is signed: the check, its month, and the evidence of each partition in which it found something."""
    content = content_sha256({"month": month, "check": check, "evidence": dict(findings)})
    return Approvable(KIND, f"{month}/{check}", content, prepared_by)


def told(counted: Counted) -> str:
    """`approved by A. Berg (...) at ..., until 2026-12-01T00:00:00Z: known since May`."""
    return f"{counted.told()}, until {spelled(counted.record.until)}: {counted.record.reason}"


def about_month(month: str, records: Iterable[LandedRecord]) -> list[LandedRecord]:
    """The records that waive something of a month, whether they count or not."""
    wanted = [each for each in records if each.signed.record.kind == KIND]
    return [each for each in wanted if each.signed.record.subject.startswith(f"{month}/")]
