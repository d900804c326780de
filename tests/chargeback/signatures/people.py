"""The people of the signature tests: keys that follow from a number, and keyrings in which they stand."""

from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.judgement import Approvable, LandedRecord
from chargeback.signatures.keyring import Keyring, KeyringFile
from chargeback.signatures.keyring_chain import LandedKeyring
from chargeback.signatures.keys import Key, public_key_of
from chargeback.signatures.record import Record, SignedRecord, sign_record

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2027, 1, 1, tzinfo=UTC)
SIGNED_AT = datetime(2026, 3, 10, 9, tzinfo=UTC)
LANDED_AT = datetime(2026, 3, 10, 9, 5, tzinfo=UTC)


def private_key(number: int) -> Ed25519PrivateKey:
    """The private key of a number."""
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


LEAD, CONTROLLER, PLATFORM, AUDITOR, CLERK, OWNER, SPONSOR = (private_key(number) for number in range(1, 8))
SIGNERS = {"finance-lead": LEAD, "controller": CONTROLLER, "platform": PLATFORM, "auditor": AUDITOR,
           "finance": CLERK, "cost-centre-owner": OWNER, "sponsor": SPONSOR}  # fmt: skip


def key(private: Ed25519PrivateKey, holder: str, role: str, until: datetime | None = END) -> Key:
    """A key of a holder, valid through 2026."""
    return Key(holder, role, public_key_of(private), BEGIN, until)


KEYS = (
    key(LEAD, "Ada Berg", "finance-lead"),
    key(CONTROLLER, "Bo Chen", "controller"),
    key(PLATFORM, "Pat Lind", "platform"),
    key(AUDITOR, "Aud Moe", "auditor"),
    key(CLERK, "Fin Roy", "finance"),
    key(OWNER, "Cos Tan", "cost-centre-owner"),
    key(SPONSOR, "Spo Uhl", "sponsor"),
)
KEYRING = Keyring(1, "", "Ops Desk", "the first keys", KEYS)
ROOT = KEYRING.fingerprint

CARD = Approvable("rate-card", "2026.2", "c0" * 32, "Pat Lind")


def record_of(thing: Approvable = CARD, *, until: datetime | None = None) -> Record:
    """The draft of an approval of a thing."""
    return Record(thing.kind, thing.subject, thing.content_sha256, thing.prepared_by, "reviewed", until=until)


def signed_by(private: Ed25519PrivateKey, thing: Approvable = CARD, *, at: datetime = SIGNED_AT,
              until: datetime | None = None) -> SignedRecord:  # fmt: skip
    """An approval of a thing."""
    return sign_record(record_of(thing, until=until), key=private, at=at)


def landed(signed: SignedRecord, at: datetime = LANDED_AT) -> LandedRecord:
    """The same in landing."""
    return LandedRecord(signed, at, "approvals/a.json")


def next_keyring(before: Keyring, *keys: Key, prepared_by: str = "Ops Desk") -> Keyring:
    """The version after one, with other keys if given."""
    return Keyring(before.version + 1, before.fingerprint, prepared_by, "a change", keys or before.keys)


def approved_file(keyring: Keyring, *signers: Ed25519PrivateKey, at: datetime = SIGNED_AT) -> KeyringFile:
    """A keyring's file with the approvals of some."""
    file = KeyringFile(keyring)
    for signer in signers:
        file = file.approved(sign_record(keyring.draft_of_approval(), key=signer, at=at))
    return file


def changed_keyring(*keys: Key, at: datetime = SIGNED_AT) -> bytes:
    """The file of the second keyring, of these keys or of all, as two people approved it."""
    return approved_file(next_keyring(KEYRING, *keys), LEAD, CONTROLLER, at=at).content()


def landed_keyring(file: KeyringFile, at: datetime = LANDED_AT) -> LandedKeyring:
    """The same in landing."""
    return LandedKeyring(file, at, f"keyrings/{file.keyring.version}-{file.keyring.fingerprint[:6]}.json")
