"""landing/: extracts kept for good, once, under a name that says what they are."""

import gzip
from datetime import UTC, date, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from resources.decompression import Undecompressible
from resources.landing import SNAPSHOT_SOURCES, SOURCES, LandedObject, Landing, ObjectCorrupted
from resources.object_store import ObjectStore

EXTRACTED = datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC)
SACCT = b"JobIDRaw|State\n4711|COMPLETED\n"


@pytest.fixture
def landing(store: ObjectStore) -> Landing:
    return Landing(store)


def land(
    landing: Landing,
    content: bytes = SACCT,
    *,
    at: datetime = EXTRACTED,
    cluster: str = "slurm-a",
    extension: str = "psv",
) -> LandedObject:
    return landing.land(content, source="slurm/sacct", cluster=cluster, extracted_at=at, extension=extension)


def test_an_extract_lands_under_source_cluster_date_time_and_hash(landing: Landing) -> None:
    landed = land(landing)

    digest = sha256(SACCT).hexdigest()
    assert landed.key == f"landing/slurm/sacct/cluster=slurm-a/date=2026-10-05/20261005T010203Z-{digest}.psv"
    assert (landed.sha256, landed.size, landed.extracted_at) == (digest, len(SACCT), EXTRACTED)
    assert (landed.source, landed.cluster, landed.extension, landed.is_new) == ("slurm/sacct", "slurm-a", "psv", True)
    assert landing.objects("slurm/sacct", "slurm-a") == [landed]
    assert landing.read(landed) == SACCT
    assert landing.sha256_of(landed.key) == digest


def test_the_date_is_that_of_the_extraction_in_utc(landing: Landing) -> None:
    eastern = datetime(2026, 10, 4, 22, 30, 0, 999_999, tzinfo=timezone(timedelta(hours=-4)))

    landed = land(landing, at=eastern)

    assert "/date=2026-10-05/20261005T023000Z-" in landed.key
    assert landed.extracted_at == datetime(2026, 10, 5, 2, 30, tzinfo=UTC)


def test_the_same_bytes_landed_again_are_still_one_object_and_it_says_so(landing: Landing) -> None:
    first = land(landing)

    again = land(landing, at=EXTRACTED + timedelta(days=1))

    assert again == first
    assert (first.is_new, again.is_new) == (True, False)
    assert landing.objects("slurm/sacct", "slurm-a") == [first]


@pytest.mark.parametrize("source", SNAPSHOT_SOURCES)
def test_the_same_bytes_of_a_snapshot_at_another_time_say_that_it_is_still_so(landing: Landing, source: str) -> None:
    at_once, again = (
        landing.land(b"{}", source=source, cluster="k8s-b", extracted_at=EXTRACTED, extension="json") for _ in range(2)
    )
    later = landing.land(
        b"{}", source=source, cluster="k8s-b", extracted_at=EXTRACTED + timedelta(minutes=5), extension="json"
    )

    assert (at_once.is_new, again.is_new, later.is_new) == (True, False, True)
    assert (again, later.sha256) == (at_once, at_once.sha256)
    assert landing.objects(source, "k8s-b") == [at_once, later]


def test_the_same_bytes_of_another_cluster_are_another_object(landing: Landing) -> None:
    land(landing)

    other = land(landing, cluster="slurm-b")

    assert other.is_new
    assert landing.clusters("slurm/sacct") == ["slurm-a", "slurm-b"]
    assert landing.objects("slurm/sacct", "slurm-b") == [other]


def test_objects_are_in_order_of_extraction_not_of_arrival(landing: Landing) -> None:
    late = land(landing, b"late", at=EXTRACTED + timedelta(hours=2))
    early = land(landing, b"early", at=EXTRACTED - timedelta(days=1))

    assert landing.objects("slurm/sacct", "slurm-a") == [early, late]


def test_objects_can_be_listed_from_a_date_of_extraction_on(landing: Landing) -> None:
    days = [land(landing, str(day).encode(), at=EXTRACTED + timedelta(days=day)) for day in range(4)]

    assert landing.objects("slurm/sacct", "slurm-a", since=date(2026, 10, 7)) == days[2:]
    assert landing.objects("slurm/sacct", "slurm-a", since=date(2026, 9, 1)) == days
    assert landing.objects("slurm/sacct", "slurm-a", since=date(2026, 10, 9)) == []


def test_landing_the_same_file_or_a_snapshot_lists_nothing(landing: Landing, store: ObjectStore) -> None:
    first = land(landing)
    unlisted = Landing(Unlistable(store))

    again = land(unlisted)
    snapshot = unlisted.land(b"{}", source="kubernetes/pods", cluster="k8s-b", extracted_at=EXTRACTED, extension="json")

    assert (again, again.is_new, snapshot.is_new) == (first, False, True)
    with pytest.raises(AssertionError, match="listed"):
        land(unlisted, b"something new")


def test_a_snapshot_that_was_damaged_after_landing_is_named_when_it_lands_again(
    landing: Landing, store: ObjectStore
) -> None:
    def snapshot() -> LandedObject:
        return landing.land(b"{}", source="kubernetes/pods", cluster="k", extracted_at=EXTRACTED, extension="json")

    store.put(snapshot().key, b"[]")

    with pytest.raises(ObjectCorrupted):
        snapshot()


def test_what_people_write_holds_for_all_clusters(landing: Landing) -> None:
    card = landing.land(b"version: 1", source="rate-cards", cluster=None, extracted_at=EXTRACTED, extension="yaml")

    assert card.key.startswith("landing/rate-cards/date=2026-10-05/20261005T010203Z-")
    assert landing.objects("rate-cards", None) == [card]
    with pytest.raises(ValueError, match="holds for all clusters"):
        landing.objects("rate-cards", "slurm-a")
    with pytest.raises(ValueError, match="has no clusters"):
        landing.clusters("rate-cards")


@pytest.mark.parametrize(
    "wrong, why",
    [
        ({"source": "slurm/squeue"}, "source 'slurm/squeue' is unknown; sources are slurm/sacct, "),
        ({"cluster": None}, "needs a cluster"),
        ({"cluster": "../slurm-b"}, "needs a cluster"),
        ({"cluster": "a/b"}, "needs a cluster"),
        ({"extension": "../x"}, "extension"),
        ({"extension": ""}, "extension"),
        ({"extracted_at": EXTRACTED.replace(tzinfo=None)}, "has no time zone"),
    ],
)
def test_an_extract_that_cannot_be_named_is_refused(landing: Landing, wrong: dict[str, object], why: str) -> None:
    right = {"source": "slurm/sacct", "cluster": "slurm-a", "extracted_at": EXTRACTED, "extension": "psv"}

    with pytest.raises(ValueError, match=why):
        landing.land(SACCT, **{**right, **wrong})  # type: ignore[arg-type]


def test_an_object_that_was_changed_after_landing_is_never_read(landing: Landing, store: ObjectStore) -> None:
    landed = land(landing)
    store.put(landed.key, b"JobIDRaw|State\n4711|CANCELLED\n")

    with pytest.raises(ObjectCorrupted) as refused:
        landing.read(landed)
    with pytest.raises(ObjectCorrupted):
        land(landing)

    assert (refused.value.key, refused.value.expected) == (landed.key, landed.sha256)
    assert refused.value.found == sha256(b"JobIDRaw|State\n4711|CANCELLED\n").hexdigest()


def test_an_object_under_a_name_that_says_nothing_is_reported_and_not_read(
    landing: Landing, store: ObjectStore
) -> None:
    landed = land(landing)
    digest = "0" * 64
    misnamed = [
        "landing/README.txt",
        "landing/slurm/sacct/cluster=slurm-a/today.psv",
        f"landing/slurm/sacct/cluster=slurm-a/date=2026-10-05/20269905T010203Z-{digest}.psv",
        f"landing/slurm/sacct/cluster=slurm-a/date=2026-10-06/20261005T010203Z-{digest}.psv",
        "landing/slurm/squeue/cluster=slurm-a/x",
    ]
    for key in misnamed:
        store.put(key, b"")

    assert landing.objects("slurm/sacct", "slurm-a") == [landed]
    assert sorted(landing.misnamed()) == sorted(misnamed)


@pytest.mark.parametrize("extension", ["psv.gz", "psv.zst"])
def test_a_compressed_extract_is_read_as_what_is_inside(landing: Landing, extension: str) -> None:
    packed = compressed(SACCT * 5000, extension)
    landed = land(landing, packed, extension=extension)

    assert landing.read(landed) == SACCT * 5000
    assert landed.extension == "psv"
    assert landed.sha256 == sha256(packed).hexdigest()


@pytest.mark.parametrize("extension", ["psv.gz", "psv.zst"])
def test_an_extract_written_in_several_compressed_members_is_read_whole(landing: Landing, extension: str) -> None:
    landed = land(landing, compressed(SACCT, extension) + compressed(b"4712|FAILED\n", extension), extension=extension)

    assert landing.read(landed) == SACCT + b"4712|FAILED\n"


@pytest.mark.parametrize("extension", ["psv.gz", "psv.zst"])
def test_a_truncated_or_damaged_compressed_extract_is_named(landing: Landing, extension: str) -> None:
    whole = compressed(SACCT * 5000, extension)
    twisted = compressed(SACCT, extension) + b"\xff\x00\xff"
    for damaged in (whole[: len(whole) // 2], whole[:-1], b"no such format", twisted, b""):
        landed = land(landing, damaged, extension=extension)
        with pytest.raises(Undecompressible, match="slurm/sacct/cluster=slurm-a"):
            landing.read(landed)


@pytest.mark.parametrize("extension", ["psv.gz", "psv.zst"])
def test_a_small_object_that_would_fill_the_memory_is_refused(store: ObjectStore, extension: str) -> None:
    landing = Landing(store, largest_read_bytes=1_000_000)
    landed = land(landing, compressed(bytes(50_000_000), extension), extension=extension)

    with pytest.raises(Undecompressible, match="is larger than 1000000 bytes"):
        landing.read(landed)


def test_every_source_of_the_design_can_land(landing: Landing) -> None:
    people = {"rate-cards", "ownership", "finance-reference", "approvals", "keyrings"}

    for source in SOURCES:
        cluster = None if source in people else "slurm-a"
        landed = landing.land(b"x", source=source, cluster=cluster, extracted_at=EXTRACTED, extension="txt")
        assert landing.objects(source, cluster) == [landed]

    assert len(SOURCES) == 17
    assert landing.misnamed() == []


class Unlistable:
    """A store that nobody may list."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        assert name != "list", "listed"
        return getattr(self._store, name)


def compressed(content: bytes, extension: str) -> bytes:
    if extension.endswith(".gz"):
        return gzip.compress(content, mtime=0)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue())
