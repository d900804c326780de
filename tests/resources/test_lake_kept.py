"""Tables are kept open between operations, and nothing that happened in between is overlooked."""

import pickle
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from deltalake import Field
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.schema import PrimitiveType
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from resources import lake_kept
from resources.content_hash import content_hash
from resources.lake import Lake
from resources.lake_commit import commit_partition
from resources.lake_records import ContractBreach, MonthClosed
from resources.lake_table import OpenTable, open_or_create_table, open_table
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.store_failures import CredentialsRefused
from tests.resources.lakes import AMOUNTS, amounts, day, holds, made_from, read
from tests.services.seaweedfs import S3Server

MONDAY, TUESDAY = day("2026-10-05"), day("2026-10-06")
SEPTEMBER = Partition.of_month("2026-09")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that were opened anew, in order."""
    names: list[str] = []

    def noting(location: StorageLocation, contract: Contract, version: int | None = None) -> OpenTable | None:
        names.append(contract.table)
        return open_table(location, contract, version)

    def noting_or_making(location: StorageLocation, contract: Contract) -> OpenTable:
        names.append(contract.table)
        return open_or_create_table(location, contract)

    monkeypatch.setattr(lake_kept, "open_table", noting)
    monkeypatch.setattr(lake_kept, "open_or_create_table", noting_or_making)
    return names


def by_another_process(location: StorageLocation, partition: Partition, *, gpus: int) -> None:
    """A commit that no kept table has made, as another process makes it."""
    table = open_or_create_table(location, HOLDS)
    frame = holds(partition, gpus=gpus)
    commit_partition(
        table, partition, frame, content=content_hash(frame, HOLDS), provenance=made_from(f"another {gpus}")
    )


def gpus_in(lake: Lake, *partitions: Partition) -> set[int]:
    return set(read(lake, *partitions)["device_count"])


def wiped(lake: Lake, table: str = "holds") -> None:
    """Take a table away, as somebody does who wants to begin anew."""
    if not lake.location.is_s3:
        shutil.rmtree(lake.location.child("tables", table))
        return
    client = aws_session().client("s3", endpoint_url=lake.location.endpoint_url)
    prefix = f"{lake.location.prefix}/tables/{table}/"
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=lake.location.bucket, Prefix=prefix):
        for each in page["Contents"]:
            client.delete_object(Bucket=lake.location.bucket, Key=each["Key"])


def test_a_table_is_opened_once_for_many_operations(location: StorageLocation, opened: list[str]) -> None:
    lake = Lake(location)

    for gpus in (8, 4, 2):
        lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=gpus), made_from(str(gpus)))
        assert gpus_in(lake, MONDAY) == {gpus}
        assert lake.is_current(HOLDS, MONDAY, made_from(str(gpus)))
    assert gpus_in(Lake(location), MONDAY) == {2}

    assert opened == ["holds"]


def test_what_another_process_commits_is_seen_at_once(location: StorageLocation, opened: list[str]) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    by_another_process(location, MONDAY, gpus=4)
    by_another_process(location, TUESDAY, gpus=2)

    assert gpus_in(lake, MONDAY) == {4}
    assert gpus_in(lake, TUESDAY) == {2}
    assert not lake.is_current(HOLDS, MONDAY, made_from("a"))
    assert lake.scan(HOLDS, [MONDAY]).version == 3
    assert lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a")).reason == "changed"
    assert opened == ["holds"]


def test_more_commits_of_others_than_a_checkpoint_spans_are_seen(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    for gpus in range(1, 45):
        by_another_process(lake.location, MONDAY, gpus=gpus)

    assert gpus_in(lake, MONDAY) == {44}
    assert lake.scan(HOLDS, [MONDAY]).version == 45


@pytest.mark.parametrize("commits", [1, 4], ids=["fewer commits than before", "more commits than before"])
def test_a_table_that_was_taken_away_and_made_anew_is_not_mistaken_for_the_old_one(
    location: StorageLocation, commits: int
) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    lake.replace(HOLDS, TUESDAY, holds(TUESDAY, gpus=8), made_from("a"))

    wiped(lake)
    for gpus in range(1, commits + 1):
        by_another_process(location, MONDAY, gpus=gpus)

    assert gpus_in(lake, MONDAY) == {commits}
    assert lake.scan(HOLDS, [TUESDAY]).missing == (TUESDAY.key,)
    assert lake.scan(HOLDS, [MONDAY]).version == commits


def test_a_table_that_was_taken_away_is_gone_and_can_be_written_again(location: StorageLocation) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    wiped(lake)

    assert lake.scan(HOLDS, [MONDAY]).version is None
    assert lake.state(HOLDS, MONDAY) is None
    assert lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a")).version == 1


def test_a_closing_by_another_process_is_seen_by_a_kept_table(location: StorageLocation) -> None:
    lake = Lake(location)
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="10.00"), made_from("a"))
    other = open_table(location, AMOUNTS)
    assert other is not None

    other.delta.alter.set_table_properties({"chargeback.closed.2026-09": "c0ffee"}, raise_if_not_exists=False)

    assert lake.closed_months(AMOUNTS) == {"2026-09"}
    with pytest.raises(MonthClosed):
        lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="11.00"), made_from("b"))


def test_a_closing_of_our_own_is_seen_by_the_next_operation(location: StorageLocation, opened: list[str]) -> None:
    lake = Lake(location)
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="10.00"), made_from("a"))

    lake.close_month("2026-09", by="finance", certificate_hash="c0ffee", contracts=[AMOUNTS])

    assert lake.closed_months(AMOUNTS) == {"2026-09"}
    with pytest.raises(MonthClosed):
        lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="11.00"), made_from("b"))
    assert opened == ["amounts"]


def test_columns_that_another_version_of_the_code_added_are_refused_by_a_kept_table(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="10.00"), made_from("a"))
    other = open_table(lake.location, AMOUNTS)
    assert other is not None

    other.delta.alter.add_columns(Field("note", PrimitiveType("string")))

    with pytest.raises(ContractBreach, match="differing in note"):
        lake.scan(AMOUNTS, [SEPTEMBER])


@pytest.mark.parametrize("failure", [CommitFailedError("a concurrent transaction"), DeltaError("anything")])
def test_a_table_is_opened_anew_after_any_error(
    location: StorageLocation, opened: list[str], monkeypatch: pytest.MonkeyPatch, failure: DeltaError
) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    with pytest.raises(DeltaError), lake_kept.table_to_write(location, HOLDS, store_at(location)):
        raise failure

    assert gpus_in(lake, MONDAY) == {8}
    assert opened == ["holds", "holds"]


def test_rows_that_were_scanned_stay_those_of_their_version(location: StorageLocation) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    scanned = lake.scan(HOLDS, [MONDAY])
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))
    by_another_process(location, MONDAY, gpus=2)

    assert set(scanned.frame.collect()["device_count"]) == {8}
    assert set(lake.scan(HOLDS, [MONDAY], version=2).frame.collect()["device_count"]) == {4}
    assert gpus_in(lake, MONDAY) == {2}


def test_reading_an_old_version_leaves_the_kept_table_at_the_present_one(
    location: StorageLocation, opened: list[str]
) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    assert set(lake.scan(HOLDS, [MONDAY], version=1).frame.collect()["device_count"]) == {8}
    assert gpus_in(lake, MONDAY) == {4}
    assert opened == ["holds", "holds"]


def test_a_lake_that_is_sent_to_another_process_takes_no_table_and_no_credential_along(s3_server: S3Server) -> None:
    lake = Lake(s3_server.fresh_location())
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    sent = pickle.dumps(lake)

    assert b"testsecret123" not in sent
    assert b"DeltaTable" not in sent
    assert gpus_in(pickle.loads(sent), MONDAY) == {8}


def test_threads_that_use_one_lake_never_see_each_others_half_done_work(location: StorageLocation) -> None:
    lake = Lake(location)
    days = [day(f"2026-10-{number:02}") for number in range(1, 5)]

    def work(partition: Partition) -> list[set[int]]:
        seen = []
        for gpus in (1, 2, 3):
            lake.replace(HOLDS, partition, holds(partition, gpus=gpus), made_from(str(gpus)))
            seen.append(gpus_in(lake, partition))
        return seen

    with ThreadPoolExecutor(len(days)) as threads:
        seen = list(threads.map(work, days))

    assert seen == [[{1}, {2}, {3}]] * len(days)
    assert len(read(lake, *days)) == 3 * len(days)


def test_renewed_credentials_open_the_table_anew_and_old_ones_are_never_used_again(
    s3_server: S3Server, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(s3_server.fresh_location())
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    with monkeypatch.context() as expired:
        expired.setenv("AWS_SECRET_ACCESS_KEY", "expired")
        aws_session.cache_clear()
        with pytest.raises(CredentialsRefused):
            lake.state(HOLDS, MONDAY)
    aws_session.cache_clear()

    assert gpus_in(lake, MONDAY) == {8}
    assert opened == ["holds", "holds", "holds"]


def test_no_more_tables_are_kept_than_a_lake_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_kept, "MOST_KEPT", 2)

    for name in "abcd":
        Lake(StorageLocation(str(tmp_path / name))).replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    kept = vars(lake_kept)["_kept"]
    assert [location.root for location, _ in kept] == [str(tmp_path / "c"), str(tmp_path / "d")]


STEPS = st.lists(
    st.tuples(st.sampled_from(["ours", "another", "wiped"]), st.sampled_from([MONDAY, TUESDAY]), st.integers(1, 9)),
    max_size=8,
)


@settings(max_examples=10, deadline=None)
@given(steps=STEPS)
def test_whoever_writes_in_whatever_order_a_kept_table_shows_what_stands_there(
    steps: list[tuple[str, Partition, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(StorageLocation(folder))
        stands: dict[Partition, int] = {}
        for number, (who, partition, gpus) in enumerate(steps):
            if who == "ours":
                lake.replace(HOLDS, partition, holds(partition, gpus=gpus), made_from(str(number)))
                stands[partition] = gpus
            elif who == "another":
                by_another_process(lake.location, partition, gpus=gpus)
                stands[partition] = gpus
            elif stands:
                wiped(lake)
                stands = {}

            assert {each: gpus_in(lake, each) for each in stands} == {each: {gpus} for each, gpus in stands.items()}
            scanned = lake.scan(HOLDS, [MONDAY, TUESDAY])
            assert set(scanned.missing) == {each.key for each in (MONDAY, TUESDAY) if each not in stands}
