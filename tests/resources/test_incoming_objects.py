"""What stores promise of objects that others dropped: only those can be taken away, and a move never loses one."""

import os
from pathlib import Path

import pytest

from resources.local_store import LocalStore
from resources.object_store import ObjectMissing, ObjectStore


def test_what_others_dropped_can_be_taken_away_and_taking_it_again_does_no_harm(store: ObjectStore) -> None:
    store.put_new("incoming/slurm-a/x.psv", b"x")

    store.remove("incoming/slurm-a/x.psv")
    store.remove("incoming/slurm-a/x.psv")

    assert store.list("") == []


@pytest.mark.parametrize("key", ["landing/slurm/sacct/x", "incoming", "incomings/x", "x", "/incoming/x"])
def test_nothing_else_can_be_taken_away(store: ObjectStore, key: str) -> None:
    if not key.startswith("/"):
        store.put_new(key, b"for good")
    before = store.list("")

    with pytest.raises(ValueError, match="only what lies below incoming/"):
        store.remove(key)
    with pytest.raises(ValueError, match="only what lies below incoming/"):
        store.move(key, "incoming-refused/x")

    assert store.list("") == before


@pytest.mark.parametrize("key", ["incoming/../landing/x", "incoming//x", "incoming/./x", "incoming/"])
def test_a_key_that_could_mean_another_place_is_never_taken_away(store: ObjectStore, key: str) -> None:
    store.put_new("landing/x", b"for good")

    with pytest.raises(ValueError, match="segment"):
        store.remove(key)
    with pytest.raises(ValueError, match="segment"):
        store.move(key, "incoming-refused/x")

    assert [each.key for each in store.list("")] == ["landing/x"]


def test_a_moved_object_has_its_bytes_under_the_other_key_only(store: ObjectStore) -> None:
    store.put_new("incoming/ä b.psv", b"bytes")

    store.move("incoming/ä b.psv", "incoming-refused/ab")

    assert [each.key for each in store.list("")] == ["incoming-refused/ab"]
    assert store.get("incoming-refused/ab") == b"bytes"


def test_a_move_that_was_cut_short_is_ended_by_moving_again(store: ObjectStore) -> None:
    store.put_new("incoming/x", b"bytes")
    store.put_new("incoming-refused/x", b"bytes")

    store.move("incoming/x", "incoming-refused/x")

    assert [each.key for each in store.list("")] == ["incoming-refused/x"]


def test_what_is_gone_cannot_be_moved(store: ObjectStore) -> None:
    with pytest.raises(ObjectMissing):
        store.move("incoming/x", "incoming-refused/x")


def test_a_listing_can_begin_behind_any_key(store: ObjectStore) -> None:
    for name in ("date=2026-10-01/a", "date=2026-10-02/a", "date=2026-10-02/b", "date=2026-10-03/a"):
        store.put_new(f"landing/{name}", b"")

    behind = store.list("landing/", start_after="landing/date=2026-10-02/a")
    between = store.list("landing/", start_after="landing/date=2026-10-02/")

    assert [each.key[-3:] for each in behind] == ["2/b", "3/a"]
    assert [each.key[-3:] for each in between] == ["2/a", "2/b", "3/a"]


def test_links_pipes_and_devices_in_a_directory_are_no_objects_and_never_followed(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "lake")
    store.put_new("incoming/real", b"x")
    (tmp_path / "secret").write_bytes(b"of the machine")
    folder = tmp_path / "lake" / "incoming"
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "dangling").symlink_to(tmp_path / "nothing")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "elsewhere").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")

    assert [each.key for each in store.list("")] == ["incoming/real"]
    for name in ("link", "dangling", "zero", "pipe", "elsewhere"):
        with pytest.raises(ObjectMissing):
            store.get(f"incoming/{name}")
