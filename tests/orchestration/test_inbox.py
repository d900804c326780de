"""incoming/: files of any name are recognised and filed once; nothing is lost, whatever happens in between."""

import gzip
import os
from datetime import UTC, datetime

import pytest

from orchestration.inbox import inbox_of
from resources.inbox import Filed
from resources.object_store import StoredObject
from resources.storage_location import StorageLocation
from tests.orchestration import inboxes
from tests.orchestration.inboxes import PODS, SACCT, Incoming, in_a_directory, incoming, incoming_at
from tests.resources.conftest import location
from tests.services.seaweedfs import s3_server

__all__ = ["in_a_directory", "incoming", "location", "s3_server"]  # the fixtures

CARD_WITH_A_SLIP = (
    b'version: "1"\neffective_from: 2026-10\ncurrency: EUR\naccelerators:\n  h100: {standard: {price: 2}}\n'
)


def test_a_file_lands_under_what_it_is_and_is_gone_from_the_inbox(incoming: Incoming) -> None:
    incoming.drop("any name at all (2).dat", SACCT)

    filed = incoming.file()

    (landed,) = filed.landed
    assert (landed.source, landed.cluster, landed.is_new) == ("slurm/sacct", "slurm-a", True)
    assert incoming.workspace.landing.read(landed) == SACCT
    assert incoming.keys("incoming") == []
    assert (filed.set_aside, filed.waiting, filed.left) == ((), (), 0)
    assert incoming.file() == Filed((), (), (), 0)


@pytest.mark.parametrize("name, content, expected", [
    ("x", inboxes.SACCT, "slurm/sacct slurm-a txt"),
    ("x.psv", inboxes.SACCT, "slurm/sacct slurm-a psv"),
    ("x.psv.gz", gzip.compress(inboxes.SACCT, mtime=0), "slurm/sacct slurm-a psv.gz"),
    ("x.csv", gzip.compress(inboxes.SACCT, mtime=0), "slurm/sacct slurm-a csv.gz"),
    ("x.psv.gz", inboxes.SACCT, "slurm/sacct slurm-a psv"),
    ("n.txt", inboxes.NODES, "slurm/nodes slurm-a txt"),
    ("e", inboxes.EVENTS, "slurm/events slurm-a txt"),
    ("p.csv", inboxes.PROLOG, "slurm/bindings slurm-a csv"),
    ("d", inboxes.DEVICES, "slurm/devices slurm-a txt"),
    ("pods.txt", inboxes.PODS, "kubernetes/pods k8s-b json"),
    ("pod.yaml", inboxes.POD, "kubernetes/pods k8s-b json"),
    ("slurm-a/metrics", inboxes.METRICS, "dcgm slurm-a txt"),
    ("deep/k8s-b/er/metrics.prom", inboxes.METRICS, "dcgm k8s-b prom"),
    ("preise.YML", inboxes.CARD, "rate-cards None yaml"),
    ("wer zahlt.txt", inboxes.OWNERS, "ownership None txt"),
    ("k8s-b/settled", inboxes.APPROVALS, "approvals None txt"),
    ("finance-reference/march.csv", b"cost centre,amount\n4711,1.00\n", "finance-reference None csv"),
])  # fmt: skip
def test_a_file_is_recognised_by_its_content_and_its_folder(
    in_a_directory: Incoming, name: str, content: bytes, expected: str
) -> None:
    assert in_a_directory.filed_as(name, content) == expected


@pytest.mark.parametrize("name, content, reason", [
    ("metrics", inboxes.METRICS, "drop it into the folder of its cluster (k8s-b, slurm-a)"),
    ("k8s-b/x", inboxes.SACCT, "is slurm/sacct, but cluster k8s-b has scheduler kubernetes"),
    ("slurm-a/k8s-b/x", inboxes.SACCT, "speaks of several clusters (k8s-b, slurm-a)"),
    ("x", SACCT.replace(b"slurm-a", b"slurm-q"), "is of cluster slurm-q, which is not in chargeback.toml"),
    ("slurm-a/x", SACCT.replace(b"slurm-a", b"slurm-q"), "lies in the folder of slurm-a and speaks of slurm-q"),
    ("x", b"", "is empty"),
    ("x.gz", gzip.compress(b"", mtime=0), "is empty"),
    ("x", b"hello\n", "no header and no known layout"),
    ("x", b"JobID|State|Start|End\n4711|COMPLETED|never|never\n", "has no record that can be read; line 2"),
    ("x", b'{"kind":"Secret"}', "is nothing that is read"),
    ("x", b"PK\x03\x04 and so on", "is a zip archive: unpack it and drop what is inside"),
    ("x.psv.gz", gzip.compress(gzip.compress(SACCT, mtime=0), mtime=0), "what is inside is compressed once more"),
    ("x.gz", gzip.compress(SACCT, mtime=0)[:-9], "cannot be decompressed"),
    ("x.gz", gzip.compress(bytes(80_000_000), mtime=0), "more than 200 times larger"),
    ("x", b"[" * 100_000, "cannot be read"),
    ("card.yaml", CARD_WITH_A_SLIP, "is a file for rate-cards that cannot be used: rate card card.yaml"),
    ("owners.csv", inboxes.OWNERS.replace(b"100", b"many"), "is a file for ownership that cannot be used"),
    ("sacct-29990101T000000Z.psv", SACCT.replace(b"x", b"y"), "which is still to come"),
    ("sacct-20261332T000000Z.psv", SACCT, "does not exist (20261332T000000Z)"),
])  # fmt: skip
def test_what_cannot_be_filed_is_set_aside_with_what_to_do(
    in_a_directory: Incoming, name: str, content: bytes, reason: str
) -> None:
    in_a_directory.drop(name, content)

    (set_aside,) = in_a_directory.file().set_aside

    assert reason in set_aside.reason
    assert in_a_directory.keys("incoming/") + in_a_directory.keys("landing/") == []
    assert in_a_directory.store.get(set_aside.kept_as) == content
    assert in_a_directory.file() == Filed((), (), (), 0)


def test_with_two_clusters_of_a_scheduler_the_folder_or_the_file_says_which(location: StorageLocation) -> None:
    incoming = incoming_at(location, inboxes.CLUSTERS + inboxes.SECOND_SLURM)

    said = [
        incoming.filed_as("nodes", inboxes.NODES),
        incoming.filed_as("slurm-z/nodes", inboxes.NODES),
        incoming.filed_as("sacct", SACCT),
        incoming.filed_as("sacct", SACCT.replace(b"slurm-a", b"slurm-z")),
    ]

    assert "does not say of which cluster: drop it into the folder of its cluster (slurm-a, slurm-z)" in said[0]
    assert said[1:] == ["slurm/nodes slurm-z txt", "slurm/sacct slurm-a txt", "slurm/sacct slurm-z txt"]


def test_what_was_set_aside_on_s3_is_kept_with_its_reason(incoming: Incoming) -> None:
    incoming.drop("odd (1).dat", b"hello\n")

    (set_aside,) = incoming.file().set_aside

    assert incoming.store.get(set_aside.kept_as) == b"hello\n"
    (record,) = inbox_of(incoming.workspace).refusals()
    assert (record.key, record.size, record.reason) == ("incoming/odd (1).dat", 6, set_aside.reason)
    assert incoming.keys("incoming/") == []
    assert incoming.file() == Filed((), (), (), 0)


@pytest.mark.parametrize("name, expected", [
    ("pods-20261005T010203Z.json", datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC)),
    ("pods-2026-10-05T01:02:03Z", datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC)),
    ("pods-2026-10-05T01-02-03.250Z", datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC)),
    ("20261005T000000Z-20261005T030000Z.json", datetime(2026, 10, 5, 3, tzinfo=UTC)),
])  # fmt: skip
def test_the_time_of_extraction_is_that_of_the_name(incoming: Incoming, name: str, expected: datetime) -> None:
    incoming.drop(name, PODS)

    (landed,) = incoming.file().landed

    assert landed.extracted_at == expected


def test_without_a_time_in_its_name_a_file_was_extracted_when_it_was_written(incoming: Incoming) -> None:
    incoming.drop("pods", PODS)
    (dropped,) = incoming.store.list("incoming/")

    (landed,) = incoming.file().landed

    assert landed.extracted_at == dropped.modified_at.replace(microsecond=0)


def test_the_same_bytes_under_two_names_are_one_object(incoming: Incoming) -> None:
    incoming.drop("one", SACCT)
    incoming.drop("two", SACCT)

    filed = incoming.file()

    assert [each.is_new for each in filed.landed] == [True, False]
    assert len(incoming.keys("landing/")) == 1
    assert incoming.keys("incoming/") == []


def test_a_look_takes_so_many_objects_and_says_how_many_are_left(incoming: Incoming) -> None:
    for number in range(5):
        incoming.drop(f"pods-20261005T01000{number}Z", PODS)

    first, second = incoming.file(most=3), incoming.file(most=3)

    assert (len(first.landed), first.left, len(second.landed), second.left) == (3, 2, 2, 0)


@pytest.mark.parametrize("name", ["x.part", "x.psv.TMP", "x.filepart", ".x.psv.Ab3dEf"])
def test_what_is_still_being_written_by_its_name_waits(incoming: Incoming, name: str) -> None:
    incoming.drop(name, SACCT)

    filed = incoming.file()

    assert [each.key for each in filed.waiting] == [f"incoming/{name}"]
    assert incoming.keys("incoming/") == [f"incoming/{name}"]


@pytest.mark.parametrize("after", ["landed", "refused", "recorded"])
def test_a_crash_in_between_changes_nothing(incoming: Incoming, after: str) -> None:
    content = SACCT if after == "landed" else b"hello\n"
    incoming.drop("x", content)
    store = incoming.store
    broken = incoming_at(incoming.location)
    object.__setattr__(broken.workspace, "store", CrashingAt(store, {"landed": "remove"}.get(after, "move")))

    with pytest.raises(Killed):
        broken.file()
    stands_already = incoming.keys("incoming/") + incoming.keys("landing/")
    filed = incoming.file()

    assert "incoming/x" in stands_already
    assert [each.is_new for each in filed.landed] == ([False] if after == "landed" else [])
    assert len(incoming.keys("incoming/")) == 0
    assert len(incoming.keys("landing/")) == (1 if after == "landed" else 0)
    assert len(incoming.keys("incoming-refused/")) == (0 if after == "landed" else 2)


def test_a_file_that_was_replaced_after_it_was_read_is_not_taken_away(incoming: Incoming) -> None:
    incoming.drop("x", SACCT)
    replaced = Replacing(incoming.store, lambda: incoming.drop("x", SACCT + b"another\n"))
    object.__setattr__(incoming.workspace, "store", replaced)

    filed = incoming.file()

    assert len(filed.landed) == 1
    assert incoming.keys("incoming/") == ["incoming/x"]
    assert incoming.store.get("incoming/x") == SACCT + b"another\n"


def test_an_object_of_another_size_than_listed_waits(incoming: Incoming) -> None:
    incoming.drop("x", SACCT)
    object.__setattr__(incoming.workspace, "store", Missizing(incoming.store))

    filed = incoming.file()

    assert [each.reason for each in filed.waiting] == ["was changed while it was read"]
    assert incoming.keys("landing/") == []


def test_an_object_larger_than_the_limit_is_set_aside_without_being_read(location: StorageLocation) -> None:
    incoming = incoming_at(location, inboxes.CLUSTERS + "[events]\nlargest_incoming_mib = 1\n")
    incoming.drop("large", bytes(1_048_577))
    incoming.drop("large.gz", gzip.compress(os.urandom(700_000) * 2, mtime=0))

    filed = incoming.file()

    assert {each.key: each.reason for each in filed.set_aside} == {
        "incoming/large": "is 1048577 bytes long; at most 1048576 are taken: drop it in parts",
        "incoming/large.gz": filed.set_aside[-1].reason,
    }
    assert len(incoming.keys("incoming-refused/")) == 4


class Killed(BaseException):
    """The process ended here."""


class CrashingAt:
    """A store in which one operation ends the process before it does anything."""

    def __init__(self, store: object, operation: str) -> None:
        self._store, self._operation = store, operation

    def __getattr__(self, name: str) -> object:
        if name == self._operation:
            raise Killed
        return getattr(self._store, name)


class Replacing:
    """A store in which somebody replaces the object right after it was read."""

    def __init__(self, store: object, replace: object) -> None:
        self._store, self._replace = store, replace

    def get(self, key: str) -> bytes:
        content: bytes = self._store.get(key)  # type: ignore[attr-defined]
        if key.startswith("incoming/"):
            self._replace()  # type: ignore[operator]
            self._replace = lambda: None
        return content

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


class Missizing:
    """A store that lists another size than it gives."""

    def __init__(self, store: object) -> None:
        self._store = store

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        found: list[StoredObject] = self._store.list(prefix, start_after=start_after)  # type: ignore[attr-defined]
        return [StoredObject(each.key, each.size + 1, each.modified_at) for each in found]

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)
