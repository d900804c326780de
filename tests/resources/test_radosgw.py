"""A second vendor's store, Ceph's: a lake lives there in a bucket without versions, and is refused one with them.

With versions two writers of one Delta commit are both told that they succeeded, and one commit is lost.
"""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestration.preflight import probe_storage
from resources.delta_probe import COMMITS_A_WRITER, probe_commits
from resources.object_store import ObjectConflict
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.storage_proof import require_proof
from resources.store_probe import UnsafeStore
from tests.resources.test_lake_concurrency import each_writes_its_own_partition, none_is_told_of_a_lost_success
from tests.resources.test_lake_kills import killed_writers_converge
from tests.services.radosgw import Radosgw, radosgw
from tests.services.seaweedfs import FEWEST_COMMITS
from tests.small_lake import small_lake

__all__ = ["radosgw"]  # the fixture

pytestmark = pytest.mark.radosgw
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def processes(radosgw: Radosgw) -> Iterator[ProcessPoolExecutor]:
    """Four processes, spawned and never forked."""
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def unversioned(radosgw: Radosgw) -> StorageLocation:
    """A lake's place in a bucket without versions."""
    return radosgw.location_in_new_bucket(versioned=False)


def test_objects_are_never_overwritten(unversioned: StorageLocation) -> None:
    store = store_at(unversioned)

    assert store.put_new("landing/one", b"first")
    assert not store.put_new("landing/one", b"first")
    with pytest.raises(ObjectConflict):
        store.put_new("landing/one", b"second")
    assert [each.key for each in store.list("landing/")] == ["landing/one"]
    assert store.get("landing/one") == b"first"


def test_four_processes_write_their_own_partitions(
    unversioned: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    each_writes_its_own_partition(unversioned, processes, writers=4, turns=10)


def test_of_two_writers_of_one_partition_none_is_told_of_a_lost_success(
    unversioned: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    none_is_told_of_a_lost_success(unversioned, processes, turns=8)


def test_killed_writers_lose_nothing(unversioned: StorageLocation, radosgw: Radosgw) -> None:
    undisturbed = radosgw.location_in_new_bucket(versioned=False)

    killed_writers_converge(unversioned, undisturbed, kills=20, seed=3)


def test_a_month_is_billed_after_the_preflight(unversioned: StorageLocation, tmp_path: Path) -> None:
    lake = small_lake(tmp_path, unversioned)

    done = [*lake.land(), lake.run("preflight", "--storage"), lake.bill()]

    assert [each.returncode for each in done] == [0] * 7, [each.stdout + each.stderr for each in done]
    print(done[-2].stdout)
    assert "€262.64" in done[-1].stdout


@pytest.mark.parametrize("attempt", range(5))
def test_a_bucket_with_versions_is_refused_every_time(radosgw: Radosgw, attempt: int) -> None:
    location = radosgw.location_in_new_bucket(versioned=True)

    proof = probe_storage(location, writers=2, commits=FEWEST_COMMITS, now=NOW).proof

    print(f"versioned, attempt {attempt + 1}: {proof.fault}")
    assert proof.versioning == "enabled"
    with pytest.raises(UnsafeStore, match="this store failed its last probe"):
        require_proof(location)


@pytest.mark.parametrize("commits", [FEWEST_COMMITS, COMMITS_A_WRITER])
def test_two_writers_to_a_bucket_with_versions_alone_show_that_commits_are_lost(radosgw: Radosgw, commits: int) -> None:
    figures = probe_commits(radosgw.location_in_new_bucket(versioned=True), commits=commits)

    print(f"versioned: {figures}")
    assert figures.told == 2 * commits
    assert figures.lost > 0
    assert not figures.passed


def test_a_bucket_whose_versions_were_switched_on_later_is_refused(unversioned: StorageLocation) -> None:
    proof = probe_storage(unversioned, writers=2, commits=FEWEST_COMMITS, now=NOW).proof
    assert proof.passed
    client = aws_session().client("s3", endpoint_url=unversioned.endpoint_url)
    client.put_bucket_versioning(Bucket=unversioned.bucket, VersioningConfiguration={"Status": "Enabled"})

    with pytest.raises(UnsafeStore, match="versioning is enabled and was off when the store was probed"):
        require_proof(unversioned)
