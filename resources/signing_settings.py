"""[signing] of chargeback.toml: which keyring is trusted. It stands outside the lake, so whoever writes there cannot
change whom finance is. Not here: keys and signatures (chargeback/signatures/), private keys (private_keys.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.setting_kinds import SettingsRefused, refuse_unfit

_SHA256 = re.compile(r"[0-9a-f]{64}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Signing:
    """`trust_root` is the fingerprint of the first keyring; without one nothing that is signed counts.

    `passphrase_env` names the environment variable that holds the passphrase of private keys, so that it stands in no
    file. `deployment_key` is the path of the key that signs certificates, outside the lake.
    """

    trust_root: str | None = None
    passphrase_env: str = "CHARGEBACK_KEY_PASSPHRASE"  # noqa: S105  (a name, not a passphrase)
    deployment_key: str = ""


def read_signing(read: Mapping[str, Any]) -> Signing:
    """[signing]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("signing", {})
    refuse_unfit(section, dict.fromkeys(Signing.__slots__, str), "signing.")
    signing = Signing(**section)
    if signing.trust_root is not None and not _SHA256.fullmatch(signing.trust_root):
        raise SettingsRefused(
            f"signing.trust_root is {signing.trust_root!r}; it must be the fingerprint of the first keyring, 64 hex "
            "digits, as `chargeback key verify keyring.json` prints it"
        )
    if not _VARIABLE.fullmatch(signing.passphrase_env):
        raise SettingsRefused("signing.passphrase_env must be the name of an environment variable")
    return signing
