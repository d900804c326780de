"""What every command that signs needs: the private key, and the keyring in force.

Not here: the commands (key_commands.py, key_signing.py, rate_card_signing.py).
"""

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused
from chargeback.signatures.keys import Key, fingerprint_of, public_key_of
from resources.landing import Landing
from resources.open_store import store_at
from resources.people_objects import PeopleObjects, PeopleRefused
from resources.private_keys import PassphraseNeeded, passphrase_of, read_private_key
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Desk:
    """The settings, landing and clock of one command."""

    settings: Settings
    landing: Landing
    people: PeopleObjects
    now: datetime

    def keyring(self) -> Keyring:
        """The keyring in force. Raises SettingsRefused where nothing is pinned, PeopleRefused where none is."""
        keyring, _ = self.people.signed.keyring()
        if keyring is None:
            raise SettingsRefused(
                "nobody's signature counts yet: pin the first keyring as [signing] trust_root in chargeback.toml, "
                "by the fingerprint that `chargeback key verify KEYRING` prints"
            )
        if isinstance(keyring, KeyringRefused):
            raise PeopleRefused(keyring.reasons)
        return keyring

    def private_key(self, path: Path) -> Ed25519PrivateKey:
        """The private key of a file; its passphrase from the environment, else asked for at a terminal."""
        passphrase = passphrase_of(self.settings)
        try:
            return read_private_key(path, passphrase=passphrase, settings=self.settings)
        except PassphraseNeeded as needed:
            if not sys.stdin.isatty():
                raise SettingsRefused(f"{needed}: set {self.settings.signing.passphrase_env}") from None
        typed = typer.prompt(f"Passphrase of {path}", hide_input=True)
        return read_private_key(path, passphrase=typed, settings=self.settings)


def desk_of(config: Path | None) -> Desk:
    """Open the lake of the settings for signing. Raises SettingsRefused."""
    settings = load_settings(config)
    landing = Landing(store_at(settings.location))
    people = PeopleObjects(landing, settings.signing.trust_root)
    return Desk(settings, landing, people, datetime.now(UTC).replace(microsecond=0))


def holder_of(private_key: Ed25519PrivateKey, keyring: Keyring) -> Key:
    """Whose key it is. Raises SettingsRefused if the keyring does not know it."""
    fingerprint = fingerprint_of(public_key_of(private_key))
    key = keyring.key(fingerprint)
    if key is None:
        raise SettingsRefused(
            f"key {fingerprint} is not in keyring version {keyring.version}: two of its holders have to add it first"
        )
    return key
