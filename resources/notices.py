"""Tells people what they must act on: Slack, e-mail or any webhook, by addresses that stand in the environment.

Each notice is sent once: what was said is kept in the lake, by what it says. An address that cannot be reached is told,
and the notice is sent again next time. Addresses bear secrets, so none is ever printed. Not here: what is worth saying.
"""

import hashlib
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass

from resources.object_store import ObjectStore

FOLDER = "notices"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that somebody must act on. Two with equal texts are the same."""

    title: str
    body: str

    @property
    def key(self) -> str:
        """Where it is kept once it was sent."""
        return f"{FOLDER}/{hashlib.sha256(self.text).hexdigest()}.txt"

    @property
    def text(self) -> bytes:
        """What it says."""
        return f"{self.title}\n{self.body}\n".encode()


@dataclass(frozen=True, slots=True)
class Told:
    """What became of notices: sent now, sent before, and not sent since an address failed."""

    sent: tuple[Notice, ...]
    before: tuple[Notice, ...]
    failed: tuple[Notice, ...]


def addresses_in(variable: str) -> tuple[str, ...]:
    """The addresses that an environment variable holds, separated by spaces: `slack://...`, `mailtos://...`, `jsons://`."""
    return tuple(os.environ.get(variable, "").split())


def tell(notices: Sequence[Notice], *, addresses: Sequence[str], store: ObjectStore) -> Told:
    """Send what was not sent before. Raises ValueError for an address of no known kind, without printing it."""
    from apprise import Apprise  # takes half a second

    logging.getLogger("apprise").disabled = True  # it names addresses
    channel = Apprise()
    for number, address in enumerate(addresses, start=1):
        if not channel.add(address):
            raise ValueError(f"notice address {number} is of no known kind: slack://, mailtos://, json://, ...")
    sent, before, failed = [], [], []
    for notice in notices:
        if store.exists(notice.key):
            before.append(notice)
        elif channel.notify(title=notice.title, body=notice.body):
            store.put_new(notice.key, notice.text)
            sent.append(notice)
        else:
            failed.append(notice)
    return Told(tuple(sent), tuple(before), tuple(failed))
