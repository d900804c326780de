"""[posting] of chargeback.toml: which finance system the journal goes to, and how. Passwords stand in the environment.

Not here: the adapters (finance_system.py and the files that it names).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from resources.setting_kinds import SettingsRefused, one_of, refuse_unfit

FILE_SYSTEMS = ("csv", "fbdi", "hledger", "beancount")
SERVERS = ("tryton", "netsuite", "erpnext")
NOWHERE = ""
FAIL, NEXT_OPEN_PERIOD = CLOSED_PERIODS = ("fail", "next_open_period")


@dataclass(frozen=True, slots=True)
class Posting:
    """Where journal entries are sent.

    Without a `system` nothing is sent. `draft` leaves the posting to finance. `closed_period` says what happens where
    the period is shut over there. What a sending left without an answer, another one takes over after
    `taken_over_after_minutes`. `accounts` maps our accounts to theirs, where they have other names.
    `ledger`, `source` and `category` name the journal in their words.
    """

    system: str = NOWHERE
    draft: bool = True
    closed_period: str = FAIL
    url: str = ""
    user: str = ""
    password_env: str = "CHARGEBACK_POSTING_PASSWORD"  # noqa: S105 - the name of a variable
    ledger: str = ""
    source: str = "GPU Chargeback"
    category: str = "GPU"
    timeout_seconds: int = 60
    taken_over_after_minutes: int = 15
    accounts: Mapping[str, str] = field(default_factory=dict)

    @property
    def taken_over_after(self) -> timedelta:
        """How long an unanswered document is left to the sending that has it in hand."""
        return timedelta(minutes=self.taken_over_after_minutes)

    def account(self, ours: str) -> str:
        """An account in the finance system's words."""
        return self.accounts.get(ours, ours)

    def our_account(self, theirs: str) -> str:
        """The account of ours that has this name over there; their name where we map none to it."""
        return next((ours for ours, name in self.accounts.items() if name == theirs), theirs)


def read_posting(read: Mapping[str, Any]) -> Posting:
    """[posting]. Raises SettingsRefused."""
    section: Mapping[str, Any] = read.get("posting", {})
    texts = ("system", "closed_period", "url", "user", "password_env", "ledger", "source", "category")
    kinds = {**dict.fromkeys(texts, str), "draft": bool, "timeout_seconds": int, "taken_over_after_minutes": int,
             "accounts": dict}  # fmt: skip
    refuse_unfit(section, kinds, "posting.")
    accounts: Mapping[str, Any] = section.get("accounts", {})
    refuse_unfit(accounts, dict.fromkeys(accounts, str), "posting.accounts.")
    posting = Posting(**{**section, "accounts": dict(accounts)})
    one_of(posting.system, (NOWHERE, *FILE_SYSTEMS, *SERVERS), "posting.system")
    one_of(posting.closed_period, CLOSED_PERIODS, "posting.closed_period")
    if posting.system in SERVERS and not posting.url.startswith(("http://", "https://")):
        raise SettingsRefused(f"posting.url is {posting.url!r}; {posting.system} needs its address, https://...")
    if len(set(accounts.values())) < len(accounts):
        raise SettingsRefused("posting.accounts maps two accounts to one: what is booked on it could not be told apart")
    for name, least, most in (("timeout_seconds", 1, 3600), ("taken_over_after_minutes", 0, 10_080)):
        if not least <= getattr(posting, name) <= most:
            raise SettingsRefused(f"posting.{name} is {getattr(posting, name)}; it must be from {least} to {most}")
    return posting
