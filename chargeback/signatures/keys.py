"""A key of somebody who approves: who holds it, in which role, from when until when. Ed25519 (RFC 8032).

Not here: which keys there are (keyring.py), private keys on disk (resources/private_keys.py).
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from chargeback.signatures.fields import SHA256, Unreadable, instant_of, mapping_of, spelled, text_of

ROLES = ("finance-lead", "finance", "controller", "platform", "auditor", "cost-centre-owner", "sponsor")
SHOWN_DIGITS = 16

_REQUIRED = ("holder", "role", "public_key", "valid_from")


@dataclass(frozen=True, slots=True)
class Key:
    """The public half, with its holder. Valid in `[valid_from, valid_until)`, UTC; without an end while open."""

    holder: str
    role: str
    public_key: str
    valid_from: datetime
    valid_until: datetime | None = None

    @property
    def fingerprint(self) -> str:
        """The sha256 of the 32 bytes of the public key, 64 hex digits."""
        return fingerprint_of(self.public_key)

    def is_valid_at(self, instant: datetime) -> bool:
        """Whether an instant lies in its half-open validity."""
        return self.valid_from <= instant and (self.valid_until is None or instant < self.valid_until)

    def told(self) -> str:
        """The key as sentences name it: `A. Berg (finance-lead, key 0123456789abcdef)`."""
        return f"{self.holder} ({self.role}, key {self.fingerprint[:SHOWN_DIGITS]})"

    def validity(self) -> str:
        """`2026-01-01T00:00:00Z to 2027-01-01T00:00:00Z`, or `... to open`."""
        return f"{spelled(self.valid_from)} to {spelled(self.valid_until) or 'open'}"

    def document(self) -> dict[str, object]:
        """The public entry as a keyring holds it."""
        entry: dict[str, object] = {
            "holder": self.holder,
            "role": self.role,
            "public_key": self.public_key,
            "valid_from": spelled(self.valid_from),
        }
        return entry | ({"valid_until": spelled(self.valid_until)} if self.valid_until else {})


def fingerprint_of(public_key: str) -> str:
    """The fingerprint of a public key given as 64 hex digits."""
    return hashlib.sha256(bytes.fromhex(public_key)).hexdigest()


def read_key(value: object) -> Key:
    """A key from its public entry. Raises Unreadable."""
    fields = mapping_of(value, "a key", _REQUIRED, ("valid_until",))
    role, public_key = text_of(fields, "role"), text_of(fields, "public_key")
    if role not in ROLES:
        raise Unreadable(f"role is {role!r}, must be one of {', '.join(ROLES)}")
    if not SHA256.fullmatch(public_key):
        raise Unreadable(f"public_key is {public_key!r}, must be 64 hex digits in lower case")
    valid_from, valid_until = instant_of(fields, "valid_from"), instant_of(fields, "valid_until")
    if valid_from is None:
        raise Unreadable("valid_from is empty: fill it in")
    if valid_until is not None and valid_until < valid_from:
        raise Unreadable(f"valid_until {spelled(valid_until)} is before valid_from {spelled(valid_from)}")
    return Key(text_of(fields, "holder"), role, public_key, valid_from, valid_until)


def public_key_of(private_key: Ed25519PrivateKey) -> str:
    """The public half as 64 hex digits."""
    return private_key.public_key().public_bytes_raw().hex()


def signature_of(message: bytes, private_key: Ed25519PrivateKey) -> str:
    """The signature as 128 hex digits. The same message and key make the same one (RFC 8032, 5.1.6)."""
    return private_key.sign(message).hex()


def is_signature_of(signature: str, message: bytes, *, public_key: str) -> bool:
    """Whether a signature is that key's of exactly these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
