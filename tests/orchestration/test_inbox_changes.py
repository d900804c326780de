"""What becomes of incoming/ while others change it, or the clock: no byte is lost, and nothing waits without end."""

import os
from collections.abc import Callable

import pytest

from resources.inbox import Filed
from resources.object_store import ObjectStore, StoredObject
from tests.orchestration.inboxes import SACCT, Incoming, in_a_directory, incoming, incoming_at, seconds
from tests.resources.conftest import location
from tests.services.seaweedfs import s3_server

__all__ = ["in_a_directory", "incoming", "location", "s3_server"]  # the fixtures

UNREADABLE = b"hello\n"


class Disturbed:
    """A store beside which somebody does something once, right after it listed or gave what lies in incoming/."""

    def __init__(self, store: ObjectStore, after: str, disturb: Callable[[], object]) -> None:
        self._store, self._after, self._disturb = store, after, disturb

    def get(self, key: str) -> bytes:
        content = self._store.get(key)
        self._disturbed("get", key)
        return content

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        found = self._store.list(prefix, start_after=start_after)
        self._disturbed("list", prefix)
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def _disturbed(self, operation: str, key: str) -> None:
        if operation == self._after and key.startswith("incoming/"):
            disturb, self._disturb = self._disturb, lambda: None
            disturb()


def disturbed(incoming: Incoming, after: str, disturb: Callable[[], object]) -> Filed:
    """One look at which that happens."""
    other = incoming_at(incoming.location)
    object.__setattr__(other.workspace, "store", Disturbed(incoming.store, after, disturb))
    return other.file()


def test_a_file_that_replaced_a_refused_one_is_neither_lost_nor_refused_with_it(incoming: Incoming) -> None:
    incoming.drop("x", UNREADABLE)
    kept_as = incoming.file().set_aside[0].kept_as
    incoming.drop("x", UNREADABLE)

    filed = disturbed(incoming, "get", lambda: incoming.drop("x", SACCT))
    corrected = incoming.store.get("incoming/x")
    after = incoming.file()

    assert filed == Filed((), (), (), 0)
    assert corrected == SACCT
    assert len(after.landed) == 1
    assert incoming.store.get(kept_as) == UNREADABLE


@pytest.mark.parametrize("content", [SACCT, UNREADABLE], ids=["readable", "unreadable"])
@pytest.mark.parametrize("after", ["list", "get"])
def test_what_another_process_takes_first_is_left_to_it(incoming: Incoming, content: bytes, after: str) -> None:
    incoming.drop("x", content)

    filed = disturbed(incoming, after, incoming.file)

    assert (filed.set_aside, filed.waiting) == ((), ())
    assert incoming.keys("incoming/") == []
    assert len(incoming.keys("landing/")) + len(incoming.keys("incoming-refused/")) // 2 == 1


def test_a_link_that_somebody_takes_away_is_no_fault(in_a_directory: Incoming) -> None:
    in_a_directory.drop("x", SACCT)
    link = in_a_directory.location.directory / "incoming" / "link"
    link.symlink_to("x")

    filed = disturbed(in_a_directory, "list", link.unlink)

    assert (len(filed.landed), filed.set_aside) == (1, ())


def test_a_clock_set_back_makes_a_file_wait_for_two_looks_and_not_for_a_day(in_a_directory: Incoming) -> None:
    in_a_directory.drop("x.psv", SACCT)
    written = in_a_directory.store.list("incoming/")[0].modified_at
    day_before = written - seconds(86_400)

    looks = [in_a_directory.file(now=now) for now in (written + seconds(1), day_before, day_before + seconds(10))]

    assert [len(each.landed) for each in looks] == [0, 0, 1]
    assert not os.listdir(in_a_directory.location.directory / "incoming")
