"""A keyring: one version of the list of keys, naming the version before it by hash, with its approvals beside it.

Not here: which version is in force and whether its approvals count (keyring_chain.py).
"""

import re
from dataclasses import dataclass, replace

from chargeback.signatures.canonical import NotCanonical, content_sha256, read_json, readable_json
from chargeback.signatures.fields import Unreadable, mapping_of, sha256_of, text_of
from chargeback.signatures.keys import Key, read_key
from chargeback.signatures.recognition import KEYRING_FORMAT
from chargeback.signatures.record import Record, SignedRecord, record_of

_REQUIRED = ("version", "prepared_by", "reason", "keys")
_VERSION = re.compile(r"[1-9]\d{0,5}")


@dataclass(frozen=True, slots=True)
class Keyring:
    """One version. `previous` is the fingerprint of the version before it, empty for the first."""

    version: int
    previous: str
    prepared_by: str
    reason: str
    keys: tuple[Key, ...]

    @property
    def fingerprint(self) -> str:
        """The sha256 of its canonical spelling; that of the first is the trust root."""
        return content_sha256(self.document())

    def key(self, fingerprint: str) -> Key | None:
        """The key of a fingerprint, if it is in this version."""
        return next((key for key in self.keys if key.fingerprint == fingerprint), None)

    def document(self) -> dict[str, object]:
        """The keyring as a mapping of texts."""
        stated: dict[str, object] = {
            "version": str(self.version),
            "prepared_by": self.prepared_by,
            "reason": self.reason,
            "keys": [key.document() for key in self.keys],
        }
        return stated | ({"previous": self.previous} if self.previous else {})

    def draft_of_approval(self) -> Record:
        """What two holders of the version before sign."""
        return Record("keyring", str(self.version), self.fingerprint, self.prepared_by, self.reason)


@dataclass(frozen=True, slots=True)
class KeyringFile:
    """A keyring and the approvals that came with it, as one file holds them."""

    keyring: Keyring
    approvals: tuple[SignedRecord, ...] = ()

    def approved(self, record: SignedRecord) -> "KeyringFile":
        """The same with one approval more; one of the same key is replaced."""
        kept = [each for each in self.approvals if each.record.approved_by != record.record.approved_by]
        return replace(self, approvals=(*kept, record))

    def content(self) -> bytes:
        """The bytes of its file, for people to read and edit; what is signed is the canonical spelling."""
        document = {
            "format": KEYRING_FORMAT,
            "keyring": self.keyring.document(),
            "approvals": [each.document() for each in self.approvals],
        }
        return readable_json(document)


def read_keyring(content: bytes) -> KeyringFile:
    """A keyring from its file. Raises Unreadable with one sentence."""
    try:
        fields = mapping_of(read_json(content), "keyring", ("format", "keyring"), ("approvals",))
    except NotCanonical as fault:
        raise Unreadable(f"keyring {fault}") from None
    if fields["format"] != KEYRING_FORMAT:
        raise Unreadable(f"keyring of format {fields['format']!r}, this code reads {KEYRING_FORMAT}")
    approvals = fields.get("approvals", [])
    if not isinstance(approvals, list):
        raise Unreadable("approvals of a keyring must be a list of signed records")
    return KeyringFile(_keyring_of(fields["keyring"]), tuple(record_of(each) for each in approvals))


def _keyring_of(value: object) -> Keyring:
    stated = mapping_of(value, "the keyring", _REQUIRED, ("previous",))
    version = text_of(stated, "version")
    if not _VERSION.fullmatch(version):
        raise Unreadable(f"version is {version!r}, must be a whole number from 1")
    previous = sha256_of(stated, "previous", may_be_empty=True)
    if (int(version) == 1) != (not previous):
        raise Unreadable(f"version {version} must {'not ' if version == '1' else ''}name a previous keyring")
    entries = stated["keys"]
    if not isinstance(entries, list) or not entries:
        raise Unreadable("keys must be a list of at least one key")
    keys = tuple(read_key(entry) for entry in entries)
    doubled = sorted({key.holder for key in keys if [each.public_key for each in keys].count(key.public_key) > 1})
    if doubled:
        raise Unreadable(f"one key stands twice, held by {' and '.join(doubled)}: a key has one holder and one role")
    return Keyring(int(version), previous, text_of(stated, "prepared_by"), text_of(stated, "reason"), keys)
