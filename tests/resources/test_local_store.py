"""What is particular to objects in a directory."""

from pathlib import Path

import pytest

from resources.local_store import LocalStore
from resources.object_store import ObjectConflict


def test_a_write_that_was_cut_short_leaves_no_object(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    (tmp_path / ".incoming").mkdir()
    (tmp_path / ".incoming" / "tmpabc").write_bytes(b"half an obj")

    assert store.list("") == []
    assert store.put_new("object", b"an object")
    assert [each.key for each in store.list("")] == ["object"]


def test_nothing_is_left_over_when_an_object_is_stored_or_refused(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)

    store.put_new("a", b"1")
    store.put("b", b"2")
    with pytest.raises(ObjectConflict):
        store.put_new("a", b"3")

    assert list((tmp_path / ".incoming").iterdir()) == []


def test_the_folder_of_unfinished_files_holds_no_objects(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="being written"):
        LocalStore(tmp_path).put(".incoming/a", b"")
