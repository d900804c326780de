"""The lake: partitions written and read, on a directory and on S3."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import CONTRACTS
from resources.content_hash import content_hash
from resources.lake import Lake
from resources.lake_records import ContractBreach, Unreproducible
from resources.lake_table import open_table
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, holds, made_from, read

MONDAY, TUESDAY = day("2026-10-05"), day("2026-10-06")


@pytest.fixture
def lake(location: StorageLocation) -> Lake:
    return Lake(location)


def test_what_was_written_is_read_with_the_contracts_columns_and_types(lake: Lake) -> None:
    written = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    scanned = lake.scan(HOLDS, [MONDAY])

    assert (written.reason, written.changed, written.row_count, written.version) == ("new", True, 3, 1)
    assert_frame_equal(scanned.frame.collect(), holds(MONDAY), check_row_order=False)
    assert scanned.frame.collect_schema() == HOLDS.schema
    assert scanned.contents == {"holds|slurm-a|2026-10-05": written.content_hash}
    assert written.content_hash == content_hash(holds(MONDAY), HOLDS)
    assert (scanned.missing, scanned.version) == ((), 1)


def test_one_partition_is_read_without_asking_every_row_which_it_is(lake: Lake) -> None:
    for each in (MONDAY, TUESDAY):
        lake.replace(HOLDS, each, holds(each), made_from("a"))

    one, both = lake.scan(HOLDS, [TUESDAY]).frame, lake.scan(HOLDS, [MONDAY, TUESDAY]).frame

    assert ("JOIN" in one.explain(), "JOIN" in both.explain()) == (False, True)
    assert_frame_equal(one.collect(), both.filter(day=TUESDAY.key.split("|")[-1]).collect(), check_row_order=False)


def test_a_partition_that_was_never_written_is_missing_and_not_empty(lake: Lake) -> None:
    before = lake.scan(HOLDS, [MONDAY, TUESDAY])
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    after = lake.scan(HOLDS, [MONDAY, TUESDAY])

    assert (before.missing, before.version) == ((MONDAY.key, TUESDAY.key), None)
    assert before.frame.collect_schema() == HOLDS.schema
    assert (after.missing, len(after.frame.collect())) == ((TUESDAY.key,), 3)
    assert lake.state(HOLDS, TUESDAY) is None


def test_an_empty_partition_is_a_fact(lake: Lake) -> None:
    written = lake.replace(HOLDS, MONDAY, HOLDS.empty(), made_from("a"))

    scanned = lake.scan(HOLDS, [MONDAY])
    state = lake.state(HOLDS, MONDAY)

    assert (written.reason, written.row_count) == ("new", 0)
    assert state is not None
    assert (state.row_count, scanned.missing) == (0, ())
    assert lake.is_current(HOLDS, MONDAY, made_from("a"))
    assert lake.replace(HOLDS, MONDAY, HOLDS.empty(), made_from("a")).reason == "unchanged input"


def test_a_partition_that_lost_all_its_rows_is_empty_and_gets_rows_again(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a"))

    emptied = lake.replace(HOLDS, MONDAY, HOLDS.empty(), made_from("b"))
    refilled = lake.replace(HOLDS, MONDAY, holds(MONDAY, rows=2), made_from("c"))

    assert (emptied.reason, emptied.row_count, refilled.reason) == ("changed", 0, "changed")
    assert len(read(lake, MONDAY, TUESDAY)) == 5


def test_replacing_a_partition_leaves_every_other_file_where_it_is(lake: Lake, location: StorageLocation) -> None:
    others = [day("2026-10-06"), day("2026-10-05", "slurm-b"), day("2026-10-05", "slurm-a2")]
    for each in [MONDAY, *others]:
        lake.replace(HOLDS, each, holds(each), made_from("a"))
    before = {each.key: open_table(location, HOLDS).files(each) for each in others}  # type: ignore[union-attr]

    lake.replace(HOLDS, MONDAY, holds(MONDAY, rows=5, gpus=1), made_from("b"))

    assert {each.key: open_table(location, HOLDS).files(each) for each in others} == before  # type: ignore[union-attr]
    assert read(lake, MONDAY)["device_count"].to_list() == [1] * 5
    assert len(read(lake, MONDAY, *others)) == 5 + 3 * 3


def test_the_same_input_is_not_written_again(lake: Lake) -> None:
    first = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a", run="run-1"))

    again = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a", run="run-2"))

    assert (again.reason, again.changed, again.version) == ("unchanged input", False, first.version)
    assert lake.is_current(HOLDS, MONDAY, made_from("a", run="run-3"))
    assert not lake.is_current(HOLDS, MONDAY, made_from("a", code="code-2"))
    assert not lake.is_current(HOLDS, MONDAY, made_from("b"))


def test_other_input_with_the_same_outcome_makes_no_new_version_but_is_remembered(lake: Lake) -> None:
    first = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    again = lake.replace(HOLDS, MONDAY, holds(MONDAY).reverse(), made_from("b", code="code-2"))
    state = lake.state(HOLDS, MONDAY)

    assert (again.reason, again.changed, again.content_hash) == ("unchanged content", False, first.content_hash)
    assert lake.scan(HOLDS, [MONDAY]).version == first.version
    assert state is not None
    assert (state.code_version, state.inputs) == ("code-2", {"raw_sacct|slurm-a|2026-10-05": "b"})
    assert lake.is_current(HOLDS, MONDAY, made_from("b", code="code-2"))


def test_a_rule_that_makes_other_rows_from_the_same_input_is_refused(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))

    with pytest.raises(Unreproducible, match=r"holds slurm-a\|2026-10-05: the same code and inputs"):
        lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("a"))

    assert read(lake, MONDAY)["device_count"].to_list() == [8, 8, 8]


def test_a_commit_says_what_it_was_made_from_and_by_which_run(lake: Lake, location: StorageLocation) -> None:
    written = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a", run="run-7"))

    table = open_table(location, HOLDS)
    assert table is not None
    commit = table.delta.history(1)[0]

    assert commit["partition"] == "slurm-a|2026-10-05"
    assert commit["content_hash"] == written.content_hash
    assert commit["input_fingerprint"] == made_from("a").fingerprint
    assert commit["inputs"] == '{"raw_sacct|slurm-a|2026-10-05":"a"}'
    assert (commit["run_id"], commit["code_version"]) == ("run-7", "code-1")


def test_an_earlier_version_is_read_as_it_was(lake: Lake) -> None:
    first = lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    earlier = lake.scan(HOLDS, [MONDAY], version=first.version)

    assert earlier.frame.collect()["device_count"].to_list() == [8, 8, 8]
    assert earlier.contents == {"holds|slurm-a|2026-10-05": first.content_hash}
    assert earlier.version == first.version


def test_states_of_a_month_are_given_by_key_for_those_that_exist(lake: Lake) -> None:
    days = [day(f"2026-10-{n:02}") for n in range(1, 5)]
    for each in days[:3]:
        lake.replace(HOLDS, each, holds(each), made_from(each.key))

    states = lake.states(HOLDS, days)

    assert list(states) == [each.key for each in days[:3]]
    assert [state.version for state in states.values()] == [1, 2, 3]


def test_reading_one_partition_opens_no_other_partitions_files(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a"))
    for path in tmp_path.glob("tables/holds/*/day=2026-10-06/*.parquet"):
        path.write_bytes(b"not Parquet any more")

    assert len(read(lake, MONDAY)) == 3
    with pytest.raises(pl.exceptions.ComputeError):
        read(lake, TUESDAY)


def test_every_breach_of_the_contract_is_named_and_nothing_is_written(lake: Lake) -> None:
    broken = holds(MONDAY).with_columns(host=pl.lit(None, pl.String), device_count=pl.lit(0, pl.Int64))

    with pytest.raises(ContractBreach) as refused:
        lake.replace(HOLDS, MONDAY, broken, made_from("a"))

    assert refused.value.breaches == ("holds.host: 3 of 3 rows are null", "holds.device_count: 0 is below 1")
    assert lake.scan(HOLDS, [MONDAY]).version is None


def test_a_column_of_another_type_is_refused_and_never_coerced(lake: Lake) -> None:
    floating = holds(MONDAY).with_columns(pl.col("device_count").cast(pl.Float64))

    with pytest.raises(ContractBreach, match=r"holds.device_count: is Float64, must be Int64"):
        lake.replace(HOLDS, MONDAY, floating, made_from("a"))


def test_rows_of_another_partition_are_refused(lake: Lake) -> None:
    lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a"))
    mixed = pl.concat([holds(MONDAY), holds(TUESDAY)])

    with pytest.raises(ContractBreach, match=r"holds.day: 3 of 6 rows are not of partition slurm-a\|2026-10-05"):
        lake.replace(HOLDS, MONDAY, mixed, made_from("b"))

    assert len(read(lake, MONDAY, TUESDAY)) == 3


# Case P03 (dagster#34064): a predicate that could not be built let a write replace the whole table.
@pytest.mark.parametrize(
    "partition",
    [
        Partition(()),
        Partition.of_month("2026-10"),
        Partition((("day", "2026-10-05"),)),
        Partition((("day", "2026-10-05"), ("cluster", "slurm-a"))),
        Partition.of_day("slurm-a' OR 'a'='a", "2026-10-05"),
        Partition.of_day("", "2026-10-05"),
        Partition.of_day("slurm-a", "../2026-10-05"),
    ],
)
def test_a_partition_that_makes_no_exact_predicate_aborts_the_write(lake: Lake, partition: Partition) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    with pytest.raises(ValueError, match="holds"):
        lake.replace(HOLDS, partition, HOLDS.empty(), made_from("b"))

    assert len(read(lake, MONDAY)) == 3


def test_writing_august_beside_july_keeps_july(lake: Lake) -> None:
    july = pl.DataFrame({"month": ["2026-07"] * 100, **_certified(100)}, schema=CERTIFICATE.schema)
    august = pl.DataFrame({"month": ["2026-08"] * 50, **_certified(50)}, schema=CERTIFICATE.schema)
    lake.replace(CERTIFICATE, Partition.of_month("2026-07"), july, made_from("a"))

    lake.replace(CERTIFICATE, Partition.of_month("2026-08"), august, made_from("a"))

    months = [Partition.of_month("2026-07"), Partition.of_month("2026-08")]
    assert len(lake.scan(CERTIFICATE, months).frame.collect()) == 150


def _certified(rows: int) -> dict[str, list[str]]:
    same = ("table_name", "check_name", "content_hash", "evidence")
    return {"partition": [f"{n}" for n in range(rows)], **{name: ["x"] * rows for name in same},
            "severity": ["passed"] * rows, "waiver": [""] * rows}  # fmt: skip


def test_a_table_with_other_columns_than_the_code_is_refused_by_name(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    fewer = Contract(
        table="holds", grain="", key=HOLDS.key, partitioned_by=HOLDS.partitioned_by, stage="usage",
        columns=tuple(column for column in HOLDS.columns if column.name != "split"), checks=(),
    )  # fmt: skip

    with pytest.raises(ContractBreach, match="differing in split"):
        lake.scan(fewer, [MONDAY])


def test_what_is_known_of_a_partition_lies_beside_the_table_as_plain_text(
    lake: Lake, location: StorageLocation
) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    note = store_at(location).get("tables/holds/_chargeback/slurm-a|2026-10-05.json")

    assert b'"inputs":{"raw_sacct|slurm-a|2026-10-05":"a"}' in note


def test_every_table_of_the_bill_can_be_made_and_read(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))

    for contract in CONTRACTS:
        partition = day() if contract.partitioned_by == ("cluster", "day") else Partition.of_month("2026-10")
        lake.replace(contract, partition, contract.empty(), made_from("a"))
        assert lake.scan(contract, [partition]).frame.collect().schema == contract.schema
