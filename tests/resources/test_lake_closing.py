"""A closed month never changes, not even by a writer that began before it was closed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from deltalake.exceptions import CommitFailedError

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import MONTHLY
from resources.content_hash import content_hash
from resources.lake import Lake
from resources.lake_closing import close_month_of
from resources.lake_commit import commit_partition
from resources.lake_records import LakeRefusal, MonthClosed
from resources.lake_table import OpenTable, open_or_create_table, open_table
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.resources.lakes import AMOUNTS, amounts, made_from

SEPTEMBER, OCTOBER = Partition.of_month("2026-09"), Partition.of_month("2026-10")
CERTIFICATE_HASH = "c0ffee" * 10 + "0123"


@pytest.fixture
def lake(location: StorageLocation) -> Lake:
    lake = Lake(location)
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="10.00"), made_from("a"))
    lake.replace(AMOUNTS, OCTOBER, amounts("2026-10", vision="20.00"), made_from("a"))
    return lake


def opened(lake: Lake) -> OpenTable:
    table = open_table(lake.location, AMOUNTS)
    assert table is not None
    return table


def close_september(lake: Lake, certificate_hash: str = CERTIFICATE_HASH) -> None:
    lake.close_month("2026-09", by="finance@example.org", certificate_hash=certificate_hash, contracts=[AMOUNTS])


def test_a_closed_month_may_not_change(lake: Lake) -> None:
    close_september(lake)

    with pytest.raises(MonthClosed, match="amounts 2026-09 is closed under certificate c0ffeec0ffee"):
        lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="11.00"), made_from("late record"))

    assert lake.closed_months(AMOUNTS) == {"2026-09"}
    assert lake.scan(AMOUNTS, [SEPTEMBER]).frame.collect().equals(amounts("2026-09", vision="10.00"))


def test_a_month_beside_a_closed_one_may_change(lake: Lake) -> None:
    close_september(lake)

    written = lake.replace(AMOUNTS, OCTOBER, amounts("2026-10", vision="21.00"), made_from("b"))

    assert written.reason == "changed"


def test_running_a_closed_month_again_to_the_same_outcome_is_no_fault(lake: Lake) -> None:
    close_september(lake)

    again = lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="10.00"), made_from("a"))

    assert again.reason == "unchanged input"


def test_a_writer_that_began_before_the_closing_fails_too(lake: Lake) -> None:
    late = opened(lake)
    frame = amounts("2026-09", vision="11.00")
    close_september(lake)

    with pytest.raises(CommitFailedError):
        commit_partition(late, SEPTEMBER, frame, content=content_hash(frame, AMOUNTS), provenance=made_from("b"))

    assert lake.scan(AMOUNTS, [SEPTEMBER]).frame.collect().equals(amounts("2026-09", vision="10.00"))


@pytest.mark.parametrize("contract", MONTHLY, ids=lambda contract: contract.table)
def test_a_writer_of_any_month_table_that_began_before_the_closing_fails(tmp_path: Path, contract: Contract) -> None:
    lake, empty = Lake(StorageLocation(str(tmp_path))), contract.empty()
    lake.replace(contract, OCTOBER, empty, made_from("a"))
    late = open_table(lake.location, contract)
    assert late is not None
    lake.close_month("2026-09", by="finance", certificate_hash=CERTIFICATE_HASH, contracts=[contract])

    with pytest.raises(CommitFailedError):
        commit_partition(late, SEPTEMBER, empty, content=content_hash(empty, contract), provenance=made_from("b"))


def test_a_closing_that_was_decided_before_a_late_write_fails_too(lake: Lake) -> None:
    early = opened(lake)
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="11.00"), made_from("b"))

    with pytest.raises(CommitFailedError):
        close_month_of(
            early,
            "2026-09",
            by="finance@example.org",
            certificate_hash=CERTIFICATE_HASH,
            store=store_at(lake.location),
            content=None,
        )

    assert lake.closed_months(AMOUNTS) == frozenset()


def test_a_month_is_closed_only_with_the_content_that_was_certified(lake: Lake) -> None:
    certified = lake.scan(AMOUNTS, [SEPTEMBER]).contents
    lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="11.00"), made_from("b"))

    with pytest.raises(LakeRefusal, match="amounts 2026-09 cannot be closed"):
        lake.close_month(
            "2026-09", by="finance", certificate_hash=CERTIFICATE_HASH, contracts=[AMOUNTS], contents=certified
        )

    assert lake.closed_months(AMOUNTS) == frozenset()


def test_closing_again_under_the_same_certificate_is_a_repeat_and_under_another_is_refused(lake: Lake) -> None:
    close_september(lake)
    version = opened(lake).version

    close_september(lake)
    with pytest.raises(LakeRefusal, match="cannot be closed again"):
        close_september(lake, "another")

    assert opened(lake).version == version


def test_a_closing_says_who_closed_and_under_which_certificate(lake: Lake) -> None:
    close_september(lake)

    commit = opened(lake).delta.history(1)[0]

    assert (commit["closed_month"], commit["closed_by"]) == ("2026-09", "finance@example.org")
    assert commit["certificate_hash"] == CERTIFICATE_HASH


def test_closing_is_remembered_beyond_checkpoints_and_closes_every_month_table(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.close_month("2026-09", by="finance", certificate_hash=CERTIFICATE_HASH, contracts=[*MONTHLY, AMOUNTS])
    for n in range(25):
        lake.replace(AMOUNTS, OCTOBER, amounts("2026-10", vision=f"{n}.00"), made_from(f"{n}"))

    assert all(lake.closed_months(contract) == {"2026-09"} for contract in [*MONTHLY, AMOUNTS])
    with pytest.raises(MonthClosed):
        lake.replace(AMOUNTS, SEPTEMBER, amounts("2026-09", vision="1.00"), made_from("x"))


@pytest.mark.parametrize("month", ["2026-9", "2026-13", "September", "2026-09-01", ""])
def test_a_month_that_is_none_cannot_be_closed(tmp_path: Path, month: str) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))

    with pytest.raises(ValueError, match="must be like 2026-09"):
        lake.close_month(month, by="finance", certificate_hash=CERTIFICATE_HASH)


def test_a_table_that_several_make_at_once_is_made_once_so_that_no_late_making_opens_a_closed_month(
    location: StorageLocation,
) -> None:
    makers = threading.Barrier(8, timeout=60)

    def make() -> int:
        makers.wait()
        return open_or_create_table(location, AMOUNTS).version

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: make(), range(8)))

    log = [each.key for each in store_at(location).list("tables/amounts/_delta_log/") if each.key.endswith(".json")]
    assert made == [0] * 8
    assert [key.rpartition("/")[2] for key in log] == [f"{0:020}.json"]


def test_a_second_making_in_the_log_would_open_a_closed_month(lake: Lake) -> None:
    close_september(lake)
    store, folder = store_at(lake.location), "tables/amounts/_delta_log/"
    making = store.get(f"{folder}{0:020}.json")

    store.put(f"{folder}{opened(lake).version + 1:020}.json", making)

    assert lake.closed_months(AMOUNTS) == frozenset()  # why a making may be no later version than the first
