"""A sending that dies at its n-th step: before or after a commit to the outbox, or a call of the finance system.

As a program (`python -m tests.assets.dying LAKE SYSTEM URL N`) it is ended by the kernel there, with nothing said.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chargeback.ledger.posting_files import FileTerms
from chargeback.money import Currency
from resources.finance_system import FinanceSystem
from resources.lake import Lake
from resources.open_store import store_at
from resources.posting_erpnext import ErpNext
from resources.posting_files import PostingFiles
from resources.posting_netsuite import NetSuite
from resources.posting_settings import FILE_SYSTEMS, Posting
from resources.storage_location import StorageLocation
from tests.assets.sendings import BATCH, OURS, Books, House, journal_of

TEAMS = tuple((f"T{n}", "C1", "4711", f"{n}.05") for n in range(1, 7))
REVERSED = f"{BATCH}:t1:allocation:r1"


class Killed(BaseException):
    """What a kill is within a process: nothing catches it."""


class Dying:
    """Passes calls on, and dies before or after the one that is its turn."""

    def __init__(self, inner: object, names: tuple[str, ...], step: Callable[[], None]) -> None:
        self._inner, self._names, self._step = inner, names, step

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in self._names:
            return found

        def called(*args: Any, **kwargs: Any) -> Any:
            self._step()
            answer = found(*args, **kwargs)
            self._step()
            return answer

        return called


def dying(one: House, at: int, die: Callable[[], None]) -> House:
    """The same house, in which step `at` (from 1) is the last."""
    steps = iter(range(1, 1_000_000))

    def step() -> None:
        if next(steps) == at:
            die()

    lake: Any = Dying(one.lake, ("replace",), step)
    system: Any = Dying(one.system, ("find", "submit", "finish"), step)
    return House(lake, system, one.books, one.entries, clock=one.clock)


def raise_killed() -> None:
    """Die within this process."""
    raise Killed


def work(one: House, sender: str) -> None:
    """What dies somewhere: a month is posted and one document of it taken back."""
    one.post(sender)
    if one.states().get("t1:allocation:r1") == "acknowledged":
        one.reverse(REVERSED, sender)


def main(folder: str, name: str, url: str, at: str) -> None:
    """Work until step `at`."""
    location = StorageLocation(str(Path(folder)))
    posting = Posting(system=name, draft=False, url=url, user="key", timeout_seconds=5)
    system: FinanceSystem = {"netsuite": NetSuite, "erpnext": ErpNext}[name](posting) if name not in FILE_SYSTEMS else (
        PostingFiles(store_at(location), name, FileTerms(Currency("EUR")), accounts=OURS)
    )  # fmt: skip
    one = House(Lake(location), system, Books(), journal_of(*TEAMS))
    work(dying(one, int(at), lambda: os.kill(os.getpid(), signal.SIGKILL)), "killed")


if __name__ == "__main__":
    main(*sys.argv[1:])
