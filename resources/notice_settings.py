"""[notices] of chargeback.toml: whether people are told, and which environment variable holds where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.setting_kinds import refuse_unfit


@dataclass(frozen=True, slots=True)
class Notices:
    """`addresses_env` names the variable with the addresses, separated by spaces; they bear secrets."""

    enabled: bool = False
    addresses_env: str = "CHARGEBACK_NOTICE_ADDRESSES"


def read_notices(read: Mapping[str, Any]) -> Notices:
    """[notices]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("notices", {})
    refuse_unfit(section, {"enabled": bool, "addresses_env": str}, "notices.")
    return Notices(**section)
