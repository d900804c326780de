"""keyrings/ and the signed records of approvals/: read, and the chain of keyrings followed from the pinned first one.

Not here: approvals of GPU counts, which lie in approvals/ too and are lists (people_objects.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.keyring import Keyring, read_keyring
from chargeback.signatures.keyring_chain import KeyringRefused, LandedKeyring, chain_until, keyring_in_force
from chargeback.signatures.recognition import signed_kind_of
from chargeback.signatures.record import read_record
from resources.landing import LandedObject, Landing

Shas = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SignedObjects:
    """Reads what is signed. `trust_root` None: nothing is pinned, so no keyring is in force."""

    landing: Landing
    trust_root: str | None

    def keyring(self) -> tuple[Keyring | KeyringRefused | None, Shas]:
        """The keyring in force, or why none is; None where nothing is pinned."""
        if self.trust_root is None:
            return None, {}
        objects = self.landing.objects("keyrings", None)
        landed, unreadable = self._landed_keyrings(objects)
        chosen = KeyringRefused(unreadable) if unreadable else keyring_in_force(landed, trust_root=self.trust_root)
        return chosen, {each.key: each.sha256 for each in objects}

    def chain(self, current: Keyring) -> tuple[Keyring, ...]:
        """The versions from the pinned first one to the one in force."""
        landed, _ = self._landed_keyrings(self.landing.objects("keyrings", None))
        return chain_until(current, landed)

    def records(self) -> tuple[list[LandedRecord], Shas]:
        """Every signed record of approvals/, by time of landing. Raises Unreadable, naming the object."""
        records, shas = [], {}
        for landed in self.landing.objects("approvals", None):
            content = self.landing.read(landed)
            if signed_kind_of(content) != "record":
                continue
            try:
                records.append(LandedRecord(read_record(content), landed.extracted_at, landed.key))
            except Unreadable as fault:
                raise Unreadable(f"{landed.key}: {fault}") from None
            shas[landed.key] = landed.sha256
        return records, shas

    def faults_of_keyring(self, content: bytes, *, name: str, at: datetime) -> tuple[str, ...]:
        """Why a keyring may not land at an instant: it is not the next of the chain. Landing cannot be mended."""
        if self.trust_root is None:
            pin = 'pin the first keyring before it lands: [signing] trust_root = "..." in chargeback.toml'
            return (f"{name}: {pin}, with the fingerprint that `chargeback key verify` prints",)
        landed, unreadable = self._landed_keyrings(self.landing.objects("keyrings", None))
        if unreadable:
            return unreadable
        try:
            arriving = LandedKeyring(read_keyring(content), at, name)
        except Unreadable as fault:
            return (f"{name}: {fault}",)
        judged = keyring_in_force([*landed, arriving], trust_root=self.trust_root)
        return judged.reasons if isinstance(judged, KeyringRefused) else ()

    def _landed_keyrings(self, objects: Sequence[LandedObject]) -> tuple[list[LandedKeyring], tuple[str, ...]]:
        landed, unreadable = [], []
        for each in objects:
            try:
                landed.append(LandedKeyring(read_keyring(self.landing.read(each)), each.extracted_at, each.key))
            except Unreadable as fault:
                unreadable.append(f"{each.key}: {fault}")
        return landed, tuple(unreadable)
