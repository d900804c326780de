"""A disk that is full or may not be written: one sentence, everything that stood there stands, and it goes on later."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.local_store import LocalStore
from resources.storage_location import StorageLocation
from resources.store_failures import AccessRefused, StoreFull
from tests.resources.lakes import day, holds, made_from, read

MONDAY, TUESDAY = day("2026-10-05"), day("2026-10-06")
LARGE = bytes(300_000)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("nobody but root may mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def written_to_the_brim(folder: Path) -> Iterator[None]:
    """Within it, not a page of the disk is free."""
    filling = folder / "filling"
    with open(filling, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    yield
    filling.unlink()


@contextmanager
def mounted_read_only(folder: Path) -> Iterator[None]:
    """Within it, nobody may write there, root neither."""
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    yield
    subprocess.run(["mount", "-o", "remount,rw", folder], check=True)


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Within it, this process can write no larger file, as under a quota."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_refuses_an_object_and_takes_it_when_there_is_room(small_disk: Path) -> None:
    store = LocalStore(small_disk)
    store.put_new("landing/a", b"stands")

    with written_to_the_brim(small_disk), pytest.raises(StoreFull) as refused:
        store.put_new("landing/b", LARGE[:10_000])

    assert str(refused.value) == (
        f"{small_disk}/landing/b: there is no room left (ENOSPC); make room or raise the quota, then run it again: "
        "nothing that stood there was lost"
    )
    assert [each.key for each in store.list("")] == ["landing/a"]
    assert list((small_disk / ".incoming").iterdir()) == []
    assert store.put_new("landing/b", LARGE[:10_000])


def test_a_full_disk_refuses_a_partition_and_the_lake_goes_on_when_there_is_room(small_disk: Path) -> None:
    lake = Lake(StorageLocation(str(small_disk)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    with written_to_the_brim(small_disk), pytest.raises(StoreFull, match=r"tables/holds: there is no room left"):
        lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    assert read(lake, MONDAY).equals(holds(MONDAY))
    assert lake.is_current(HOLDS, MONDAY, made_from("a"))
    assert lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b")).version == 2
    assert read(lake, MONDAY).equals(holds(MONDAY, gpus=4))


def test_a_table_that_found_no_room_to_be_made_is_made_later(small_disk: Path) -> None:
    lake = Lake(StorageLocation(str(small_disk)))

    with written_to_the_brim(small_disk), pytest.raises(StoreFull):
        lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    assert lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a")).reason == "new"


def test_a_read_only_disk_refuses_each_write_and_is_read_on(small_disk: Path) -> None:
    store, lake = LocalStore(small_disk), Lake(StorageLocation(str(small_disk)))
    store.put_new("landing/a", b"stands")
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    with mounted_read_only(small_disk):
        for write in (store.put_new, store.put):
            with pytest.raises(AccessRefused, match=r"landing/b: access is refused \(EROFS\); make the place writable"):
                write("landing/b", b"1")
        with pytest.raises(AccessRefused, match=r"tables/holds: access is refused \(EROFS\)"):
            lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a"))
        assert store.get("landing/a") == b"stands"
        assert read(lake, MONDAY).equals(holds(MONDAY))

    assert read(lake, MONDAY, TUESDAY).equals(holds(MONDAY))
    assert lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a")).reason == "new"


def test_a_quota_refuses_an_object_and_a_partition_whole(tmp_path: Path) -> None:
    store, lake = LocalStore(tmp_path), Lake(StorageLocation(str(tmp_path)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    with no_file_larger_than(2_000):
        with pytest.raises(StoreFull, match=r"landing/b: there is no room left \(EFBIG\)"):
            store.put_new("landing/b", LARGE)
        with pytest.raises(StoreFull):
            lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    assert store.list("landing/") == []
    assert read(lake, MONDAY).equals(holds(MONDAY))
    assert lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b")).reason == "changed"


def test_a_folder_that_cannot_be_listed_is_not_taken_for_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    store.put_new("landing/a", b"1")

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "landing"))

    monkeypatch.setattr("os.scandir", refused)  # root may list any folder

    with pytest.raises(AccessRefused, match=r"landing: access is refused \(EACCES\)"):
        store.list("landing/")
