"""A store that did what it was asked and whose answer was lost: nothing is there twice, nobody is told otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from chargeback.contracts.holds import HOLDS
from resources.evidence import Evidence, EvidenceStore
from resources.lake import Lake
from resources.landing import Landing
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.store_probe import probe_store
from tests.resources.lake_log import logged_contents
from tests.resources.lakes import day, holds, made_from, read
from tests.services.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["s3_server"]  # the fixture

MONDAY, TUESDAY = day("2026-10-05"), day("2026-10-06")
LOST = (Fault.DONE_AND_CUT, Fault.DONE_AND_500, Fault.CUT_IN_ANSWER)
LOG_ENTRY, NOTE, ROWS, LISTING = "_delta_log/", "_chargeback/", ".parquet", "list-type=2"
CHECKPOINT = "_last_checkpoint"
CUTS = (Fault.CUT_BEFORE, Fault.CUT_IN_REQUEST, Fault.DONE_AND_CUT, Fault.CUT_IN_ANSWER)


@dataclass
class LossyStore:
    """A lake behind a proxy that loses answers to puts and listings whose target has a text in it, so many times."""

    proxy: FaultProxy
    through: StorageLocation
    direct: StorageLocation
    losing: list[tuple[str, Fault]]

    @property
    def rows(self) -> int:
        """Rows of both days, as somebody else reads them."""
        return len(read(Lake(self.direct), MONDAY, TUESDAY))


@pytest.fixture
def lossy(s3_server: S3Server) -> Iterator[LossyStore]:
    """Nothing is lost but what a test puts into `losing`."""
    losing: list[tuple[str, Fault]] = []

    def choose(method: str, target: str) -> Fault | None:
        is_lossy = method == "PUT" or LISTING in target or CHECKPOINT in target
        if losing and is_lossy and losing[0][0] in target:
            return losing.pop(0)[1]
        return None

    direct = s3_server.fresh_location()
    with fault_proxy(urlsplit(s3_server.endpoint_url).port or 0, choose) as proxy:
        yield LossyStore(proxy, replace(direct, endpoint_url=proxy.endpoint_url), direct, losing)


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("what", [LOG_ENTRY, NOTE, ROWS])
def test_a_partition_whose_writing_lost_an_answer_has_its_rows_once(lossy: LossyStore, what: str, fault: Fault) -> None:
    lake = Lake(lossy.through)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    lossy.losing.append((what, fault))

    lake.replace(HOLDS, TUESDAY, holds(TUESDAY, gpus=4), made_from("b"))

    assert lossy.proxy.faults == {fault: 1}
    assert lossy.rows == 6
    assert lake.is_current(HOLDS, TUESDAY, made_from("b"))
    assert logged_contents(lossy.direct)[0] is None  # without a gap


@pytest.mark.parametrize("fault", LOST)
def test_a_table_whose_making_lost_an_answer_is_made_once(lossy: LossyStore, fault: Fault) -> None:
    lossy.losing.append((LOG_ENTRY, fault))

    Lake(lossy.through).replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    assert lossy.proxy.faults == {fault: 1}
    assert lossy.rows == 3


@pytest.mark.parametrize("fault", LOST)
def test_a_changed_partition_whose_commit_lost_its_answer_is_changed_once_and_the_writer_is_told_so(
    lossy: LossyStore, fault: Fault
) -> None:
    lake = Lake(lossy.through)
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    lossy.losing.append((LOG_ENTRY, fault))

    written = lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    assert read(Lake(lossy.direct), MONDAY)["device_count"].to_list() == [4, 4, 4]
    assert lake.is_current(HOLDS, MONDAY, made_from("b"))
    assert written.changed


@pytest.mark.parametrize("fault", LOST)
def test_a_partition_emptied_by_a_commit_that_lost_its_answer_is_empty(lossy: LossyStore, fault: Fault) -> None:
    lake = Lake(lossy.through)
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lossy.losing.append((LOG_ENTRY, fault))

    lake.replace(HOLDS, MONDAY, HOLDS.empty(), made_from("b"))

    assert lossy.rows == 0
    assert lake.is_current(HOLDS, MONDAY, made_from("b"))


@pytest.mark.parametrize("fault", LOST)
def test_what_landed_while_the_answer_was_lost_has_landed_once(lossy: LossyStore, fault: Fault) -> None:
    lossy.losing.append(("landing/", fault))
    at = datetime(2026, 10, 5, tzinfo=UTC)

    landed = Landing(store_at(lossy.through)).land(
        b"JobID\n1\n", source="slurm/sacct", cluster="slurm-a", extracted_at=at, extension="psv"
    )

    assert [each.key for each in Landing(store_at(lossy.direct)).objects("slurm/sacct", "slurm-a")] == [landed.key]


@pytest.mark.parametrize("fault", LOST)
def test_evidence_whose_recording_lost_an_answer_is_there_once(lossy: LossyStore, fault: Fault) -> None:
    lossy.losing.append(("evidence/", fault))
    found = Evidence("holds", "2026-10", "some_check", True, True, "v", {"holds|2026-10": "c0ffee"}, {}, [])

    key = EvidenceStore(store_at(lossy.through)).record(found)

    assert EvidenceStore(store_at(lossy.direct)).read(key) == found
    assert len(store_at(lossy.direct).list("evidence/")) == 1


def test_a_store_is_not_called_unsafe_since_answers_to_its_probe_were_lost(lossy: LossyStore) -> None:
    lossy.losing.extend(("probe/", fault) for fault in LOST * 2)

    probe_store(store_at(lossy.through))

    assert sum(lossy.proxy.faults.values()) == 6


@pytest.mark.parametrize("fault", LOST)
def test_a_table_whose_listing_was_cut_is_opened_all_the_same(lossy: LossyStore, fault: Fault) -> None:
    Lake(lossy.direct).replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lossy.losing.append((LISTING, fault))

    rows = read(Lake(lossy.through), MONDAY)
    lossy.losing.append((LISTING, fault))
    rows_again = read(Lake(lossy.through), MONDAY)

    assert len(rows) == len(rows_again) == 3
    assert lossy.proxy.faults == {fault: 2}


@pytest.mark.parametrize("fault", CUTS)
@pytest.mark.parametrize("is_kept_open", [True, False])
@pytest.mark.parametrize("what", [CHECKPOINT, LISTING])
def test_a_table_is_opened_and_written_though_what_tells_its_version_was_cut(
    lossy: LossyStore, what: str, is_kept_open: bool, fault: Fault
) -> None:
    Lake(lossy.direct).replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lake = Lake(lossy.through)
    if is_kept_open:
        assert lake.state(HOLDS, MONDAY)
    lossy.losing.extend([(what, fault)] * 2)

    lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("b"))

    assert lossy.rows == 6


@pytest.mark.parametrize("fault", LOST)
def test_a_listing_that_was_cut_is_made_again_and_complete(lossy: LossyStore, fault: Fault) -> None:
    store_at(lossy.direct).put("landing/a", b"1")
    lossy.losing.append((LISTING, fault))

    assert [each.key for each in store_at(lossy.through).list("")] == ["landing/a"]


@pytest.mark.parametrize("fault", LOST)
def test_a_refusal_to_overwrite_that_was_cut_is_a_refusal_all_the_same(lossy: LossyStore, fault: Fault) -> None:
    store_at(lossy.direct).put("landing/a", b"1")
    lossy.losing.append(("landing/", fault))

    assert store_at(lossy.through).put_new("landing/a", b"1") is False
