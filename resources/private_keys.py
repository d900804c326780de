"""Private keys: made, written to a file that only its owner may read, and read again. Never in the lake, never logged.

PEM with PKCS8 inside, encrypted where there is a passphrase. Not here: what they sign (chargeback/signatures/).
"""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from resources.setting_kinds import SettingsRefused
from resources.settings import Settings

OWNER_ONLY = 0o600
OTHERS = 0o077


class PassphraseNeeded(Exception):
    """A private key is encrypted and no passphrase is known; the message names its file."""


def passphrase_of(settings: Settings) -> str | None:
    """The passphrase in the environment variable that [signing] passphrase_env names; None where it is not set."""
    return os.environ.get(settings.signing.passphrase_env) or None


def make_private_key(path: Path, *, passphrase: str | None, settings: Settings) -> Ed25519PrivateKey:
    """A new key, written to a new file with mode 0600. An existing file is never overwritten.

    Raises  SettingsRefused for a path inside the lake's folder (landing and incoming lie in it) or inside the folder of
            Dagster's records, for a file that exists, and for a folder that does not.
    """
    refuse_inside_lake(path, settings)
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else serialization.NoEncryption(),
    )
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise SettingsRefused(f"{path} exists: a private key is never overwritten; name another file") from None
    except (FileNotFoundError, NotADirectoryError):
        raise SettingsRefused(f"the folder of {path} does not exist: make it first, for its owner only") from None
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, OWNER_ONLY)
        file.write(pem)
    return key


def read_private_key(path: Path, *, passphrase: str | None, settings: Settings) -> Ed25519PrivateKey:
    """The key of a file.

    Raises  SettingsRefused if it lies in the lake, others may read it, it is no Ed25519 key or the passphrase is wrong;
            PassphraseNeeded if it is encrypted and none is given.
    """
    refuse_inside_lake(path, settings)
    try:
        mode, pem = path.stat().st_mode & 0o777, path.read_bytes()
    except OSError as fault:
        raise SettingsRefused(f"private key {path} cannot be read: {fault.strerror}") from None
    if mode & OTHERS:
        raise SettingsRefused(f"private key {path} may be read by others (mode {mode:04o}): chmod 600 {path}")
    is_encrypted = b"ENCRYPTED" in pem.partition(b"\n")[0]
    if is_encrypted and passphrase is None:
        raise PassphraseNeeded(f"private key {path} is encrypted")
    try:
        key = serialization.load_pem_private_key(
            pem, password=passphrase.encode() if passphrase and is_encrypted else None
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):  # their words may quote the file
        reason = "is no PEM private key, or the passphrase is another one" if is_encrypted else "is no PEM private key"
        raise SettingsRefused(f"{path} {reason}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsRefused(f"{path} is a private key of another kind; make one with: chargeback key new")
    return key


def refuse_inside_lake(path: Path, settings: Settings) -> None:
    """Raise SettingsRefused for a path in the lake's folder or that of Dagster's records, through whatever link."""
    folders = [settings.home, *([] if settings.location.is_s3 else [settings.location.directory])]
    place = path.absolute()
    for parent in (*place.parents, *place.resolve().parents):
        for folder in folders:
            if parent == folder or (parent.exists() and folder.exists() and parent.samefile(folder)):
                raise SettingsRefused(
                    f"{path} lies inside {folder}, which others read and back up: keep private keys elsewhere"
                )
