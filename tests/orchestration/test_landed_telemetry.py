"""Telemetry, device maps and prolog maps from landing to the raw tables, and what landing them again changes."""

from datetime import datetime
from pathlib import Path

import pytest

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from tests.chargeback.usage.telemetry import SM, every, matrix
from tests.estates import BUSY, EXTRACTED_AT, LATER, OVERNIGHT, Estate, prepared, sacct
from tests.estates import LAST_DAY as LAST_JOB
from tests.tables import instant

LAST_DAY = Partition.of_day("slurm-a", "2026-03-31")
DAY_BEFORE = Partition.of_day("slurm-a", "2026-03-30")
MIDNIGHT = instant("2026-03-30T22:00Z").timestamp()
MAP = b"host,minor,nvml_index,uuid\ngpu01,0,1,GPU-a\ngpu01,1,0,GPU-b\n"


def land(estate: Estate, source: str, content: bytes, *, at: datetime = EXTRACTED_AT, extension: str = "json") -> str:
    """Land bytes of the cluster."""
    landing = estate.workspace.landing
    return landing.land(content, source=source, cluster="slurm-a", extracted_at=at, extension=extension).key


def told(first: float, last: float, value: str = "0.5") -> bytes:
    """SM_ACTIVE of GPU-a, in seconds from the last day's midnight."""
    samples = {round(MIDNIGHT + at, 3): value for at in every(30, first, last, value)}
    labels = {"__name__": SM, "UUID": "GPU-a", "Hostname": "gpu01", "gpu": "1", "hpc_job": "3", "job": "dcgm"}
    return matrix({"metric": labels, "values": [[at, said] for at, said in samples.items()]})


def rows_of(estate: Estate, contract: Contract, day: Partition, *columns: str) -> list[tuple[object, ...]]:
    """Rows of a day."""
    return estate.workspace.lake.scan(contract, [day]).frame.select(columns).collect().rows()


def billed(folder: Path) -> None:
    """Two days with an hour of telemetry around midnight and one at job 3, a scrape, a device map and a prolog map."""
    estate = Estate.begun_in(folder)
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_JOB))
    land(estate, "dcgm", told(-1_800.5, 1_799.5))
    land(estate, "dcgm", told(36_000, 39_600))
    scrape = b'DCGM_FI_DEV_GPU_UTIL{UUID="GPU-b",Hostname="gpu01",gpu="0"} 44\n'
    land(estate, "dcgm", scrape, at=instant("2026-03-31T12:00Z"), extension="prom")
    land(estate, "slurm/devices", MAP, extension="csv")
    start = int(instant("2026-03-31T08:00Z").timestamp())
    prolog = f"job_id|start_epoch|host|uuids|end_epoch\n3|{start}|gpu01|GPU-a|{start + 7_201}\n"
    land(estate, "slurm/bindings", prolog.encode(), extension="psv")
    outcome = estate.bill()
    assert (outcome.failures, outcome.refused) == ((), ())


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """The two days with telemetry. Not to be changed."""
    return prepared(tmp_path_factory, "two-days-with-telemetry", billed)


@pytest.fixture
def changing(measured: Estate, tmp_path: Path) -> Estate:
    """A copy of them, to be changed."""
    return measured.copied_to(tmp_path / "changing")


def test_a_day_has_its_own_samples_and_the_last_one_of_the_day_before(measured: Estate) -> None:
    before = rows_of(measured, RAW_SAMPLES, DAY_BEFORE, "device", "at_milliseconds", "active_ppm")
    day = rows_of(measured, RAW_SAMPLES, LAST_DAY, "device", "at_milliseconds", "active_ppm")

    length = 24 * 3_600_000
    assert before == [(0, length - 1_800_500 + 30_000 * number, 500_000) for number in range(61)]
    assert day == [
        *((0, 30_000 * number - 500, 500_000) for number in range(61)),
        *((0, 36_000_000 + 30_000 * number, 500_000) for number in range(121)),
        (1, 14 * 3_600_000, 440_000),  # a scrape without a time is of its extraction
    ]


def test_devices_maps_and_prolog_stand_beside_the_samples(measured: Estate) -> None:
    devices = rows_of(measured, RAW_DEVICES, LAST_DAY, "host", "gpu", "gpu_index", "hpc_job", "samples")
    maps = rows_of(measured, RAW_DEVICE_MAPS, LAST_DAY, "host", "minor", "nvml_index", "uuid")
    bindings = rows_of(measured, RAW_BINDINGS, LAST_DAY, "JobIDRaw", "host", "gres", "count", "device_uuids")

    assert devices == [
        ("gpu01", "GPU-a", "1", "3", 61), ("gpu01", "GPU-a", "1", "3", 121), ("gpu01", "GPU-b", "0", "", 1),
    ]  # fmt: skip
    assert maps == [("gpu01", 0, 1, "GPU-a"), ("gpu01", 1, 0, "GPU-b")]
    assert bindings == [("3", "gpu01", "gpu", 1, "GPU-a")]
    assert rows_of(measured, RAW_BINDINGS, DAY_BEFORE, "JobIDRaw") == []


def test_the_same_again_and_overlapping_extracts_change_no_table(changing: Estate) -> None:
    before = changing.contents()
    land(changing, "dcgm", told(-600.5, 899.5), at=LATER)
    land(changing, "slurm/devices", MAP + b"\n", at=LATER, extension="csv")

    outcome = changing.bill()

    assert (outcome.failures, outcome.refused) == ((), ())
    telemetry = ("raw_devices|", "raw_samples|", "raw_device_maps|", "attribution|", "rated_usage|")
    changed = [key for key, content in changing.contents().items() if before[key] != content]
    assert [key for key in changed if key.startswith(telemetry)] == []


def test_a_new_device_map_bills_the_days_anew_that_it_is_in_force_on(changing: Estate) -> None:
    land(changing, "slurm/devices", MAP.replace(b"GPU-b", b"GPU-c"), at=instant("2026-03-31T12:00Z"), extension="csv")

    outcome = changing.bill()

    assert outcome.failures == ()
    assert ("gpu01", 1, "GPU-c") in rows_of(changing, RAW_DEVICE_MAPS, LAST_DAY, "host", "minor", "uuid")


def test_an_unreadable_object_of_telemetry_is_shown_and_refused_by_the_gate(changing: Estate) -> None:
    land(changing, "dcgm", b'{"status":"success","data":{"resultType":"matrix","result":[{"met', at=LATER)

    outcome = changing.bill()

    assert outcome.failures == ()
    assert any("no JSON" in reason for reason in outcome.refused)
