"""What every object store promises, kept by a directory and by a real S3 server."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from resources.object_store import ObjectConflict, ObjectMissing, ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation


def test_an_object_is_read_as_it_was_stored(store: ObjectStore) -> None:
    content = bytes(range(256)) * 1000

    is_new = store.put_new("landing/slurm/sacct/a.psv", content)

    assert is_new
    assert store.exists("landing/slurm/sacct/a.psv")
    assert store.get("landing/slurm/sacct/a.psv") == content


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    store.put_new("empty", b"")

    assert store.exists("empty")
    assert store.get("empty") == b""


def test_storing_the_same_bytes_again_changes_nothing_and_says_so(store: ObjectStore) -> None:
    store.put_new("a", b"same")
    before = store.list("a")

    is_new = store.put_new("a", b"same")

    assert not is_new
    assert store.list("a") == before


def test_other_bytes_under_a_taken_key_are_refused_with_both_hashes(store: ObjectStore) -> None:
    store.put_new("a/b", b"first")

    with pytest.raises(ObjectConflict) as refused:
        store.put_new("a/b", b"second")

    assert store.get("a/b") == b"first"
    assert refused.value.key == "a/b"
    assert refused.value.stored_sha256 == "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"
    assert refused.value.refused_sha256 == "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4"


def test_of_eight_writers_of_one_key_exactly_one_wins_and_the_others_know(store: ObjectStore) -> None:
    def write(writer: int) -> bytes | None:
        content = str(writer).encode() * 50_000
        try:
            return content if store.put_new("raced", content) else None
        except ObjectConflict:
            return None

    with ThreadPoolExecutor(8) as pool:
        winners = [content for content in pool.map(write, range(8)) if content is not None]

    assert len(winners) == 1
    assert store.get("raced") == winners[0]


def test_a_cache_object_is_replaced_whole(store: ObjectStore) -> None:
    store.put("cache", b"a long first content")

    store.put("cache", b"short")

    assert store.get("cache") == b"short"


def test_a_missing_object_is_missing_by_name(store: ObjectStore) -> None:
    store.put_new("folder/object", b"x")

    for key in ("nothing", "folder", "folder/object/below"):
        assert not store.exists(key)
        with pytest.raises(ObjectMissing, match=f"object {key} does not exist"):
            store.get(key)


def test_a_listing_is_by_key_and_takes_any_beginning_of_a_key(store: ObjectStore) -> None:
    for key in ("b/2", "b/10", "b/1", "ba", "a|b=c/x", "ä/ö", "b/Z"):
        store.put_new(key, key.encode())

    listed = store.list("b")

    assert [each.key for each in listed] == ["b/1", "b/10", "b/2", "b/Z", "ba"]
    assert [each.key for each in store.list("b/1")] == ["b/1", "b/10"]
    assert [each.key for each in store.list("a|b=c/")] == ["a|b=c/x"]
    assert [each.key for each in store.list("ä/")] == ["ä/ö"]
    assert store.list("nothing/here") == []
    assert len(store.list("")) == 7
    assert listed[1].size == 4
    assert abs(listed[0].modified_at - datetime.now(UTC)) < timedelta(minutes=5)


@pytest.mark.parametrize("key", ["", "/a", "a//b", "a/", "../a", "a/../b", "./a", "a\x00b", "a\nb", "a\\b", "x" * 300])
def test_a_key_that_could_mean_another_place_is_refused(store: ObjectStore, key: str) -> None:
    for use in (store.get, store.exists, lambda key: store.put(key, b""), lambda key: store.put_new(key, b"")):
        with pytest.raises(ValueError, match="object key"):
            use(key)


def test_a_store_can_be_sent_to_another_process(location: StorageLocation) -> None:
    store = store_at(location)
    store.put_new("a", b"1")

    sent: ObjectStore = pickle.loads(pickle.dumps(store))

    assert sent.get("a") == b"1"


def test_stores_of_two_prefixes_do_not_see_each_other(location: StorageLocation) -> None:
    one = store_at(StorageLocation(location.root + "/one", location.endpoint_url, allow_http=location.allow_http))
    other = store_at(StorageLocation(location.root + "/one1", location.endpoint_url, allow_http=location.allow_http))
    one.put_new("a", b"1")

    assert other.list("") == []
    assert [each.key for each in one.list("")] == ["a"]
    assert [each.key for each in store_at(location).list("one")] == ["one/a"]
