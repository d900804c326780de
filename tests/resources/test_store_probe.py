"""A store that loses writes is found out before it is trusted with money."""

from pathlib import Path

import pytest

from resources.local_store import LocalStore
from resources.object_store import ObjectStore, StoredObject
from resources.store_probe import UnsafeStore, probe_store


class OverwritingStore(LocalStore):
    """A store that ignores If-None-Match, as some S3 servers do."""

    def put_new(self, key: str, content: bytes) -> bool:
        self.put(key, content)
        return True


class LateOverwritingStore(LocalStore):
    """A store whose condition holds among new objects only."""

    def put_new(self, key: str, content: bytes) -> bool:
        if content == b"too late":
            self.put(key, content)
            return True
        return super().put_new(key, content)


class ForgettingStore(LocalStore):
    """A store that keeps another write than the one that it confirmed."""

    def put_new(self, key: str, content: bytes) -> bool:
        is_new = super().put_new(key, content)
        self.put(key, b"another")
        return is_new


class HidingStore(LocalStore):
    """A store whose listing lags behind what was put."""

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        return super().list(prefix, start_after=start_after)[:-1]


def test_a_store_that_keeps_its_promise_is_trusted(store: ObjectStore) -> None:
    probe_store(store)

    assert len(store.list("probe/")) == 5


@pytest.mark.parametrize(
    "unsafe, symptom",
    [
        (OverwritingStore, "4 of 4 writers were told"),
        (LateOverwritingStore, "was overwritten although it existed"),
        (ForgettingStore, "is not what its only writer wrote"),
        (HidingStore, "a listing right afterwards does not show it"),
    ],
)
def test_a_store_that_loses_a_write_is_refused(tmp_path: Path, unsafe: type[LocalStore], symptom: str) -> None:
    with pytest.raises(UnsafeStore, match=symptom):
        probe_store(unsafe(tmp_path))
