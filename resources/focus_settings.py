"""[focus] of chargeback.toml: the names that FOCUS files give to the platform and its site, and an invoice's terms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.setting_kinds import SettingsRefused, refuse_unfit


@dataclass(frozen=True, slots=True)
class Focus:
    """Empty ones follow from others: the host provider is the provider, names are ids, the account the company."""

    provider: str = "GPU platform"
    host_provider: str = ""
    region: str = "on-premises"
    region_name: str = ""
    billing_account_name: str = ""
    payment_terms: str = "Internal recharge, settled by journal entry"


def read_focus(read: Mapping[str, Any]) -> Focus:
    """[focus] of a parsed chargeback.toml. Raises SettingsRefused for payment terms that are empty."""
    section = read.get("focus", {})
    refuse_unfit(section, dict.fromkeys(Focus.__slots__, str), "focus.")
    if not section.get("payment_terms", Focus().payment_terms).strip():
        raise SettingsRefused('setting focus.payment_terms is empty; FOCUS wants words there: "Net 30"')
    return Focus(**section)
