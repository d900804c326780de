"""Everything that landed signed, read once for several questions. Not here: what counts (chargeback/signatures/)."""

from dataclasses import dataclass

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused
from resources.people_objects import PeopleObjects, PeopleRefused


@dataclass(frozen=True, slots=True)
class Signatures:
    """What landed that is signed, and the keyring that says whose signatures count."""

    records: tuple[LandedRecord, ...]
    keyring: Keyring | KeyringRefused | None

    @classmethod
    def of(cls, people: PeopleObjects) -> "Signatures":
        """Read once for all questions. Raises PeopleRefused for a record that cannot be read."""
        keyring, _ = people.signed.keyring()
        try:
            records, _ = people.signed.records()
        except Unreadable as fault:
            raise PeopleRefused((str(fault),)) from None
        return cls(tuple(records), keyring)
