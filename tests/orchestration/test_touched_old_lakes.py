"""Sensors switched on over old data: days of which something has arrived are asked for, not the months beyond.

No day has a table yet, and the lake's newest object is two months old.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from resources.landing import LandedObject
from tests.chargeback.usage.landed_kubernetes import api_list, pod, pod_list
from tests.orchestration.test_touched_days import running, sacct
from tests.raw_estate import RawEstate

MONTHS_LATER = datetime(2026, 9, 8, tzinfo=UTC)
MIDNIGHT = datetime(2026, 7, 8, tzinfo=UTC)
NODES = b"NodeName=gpu01 Gres=gpu:h100:8 State=IDLE\n"
DEVICES = b"host,minor,nvml_index,uuid\ngpu01,0,0,GPU-a\n"
RESERVED = b"Name|NodeNames|TimeStart|TimeEnd|Flags\ncourse|gpu01|2026-07-07T08:00:00|2026-12-24T18:00:00|SPEC_NODES\n"
SAMPLED = (
    b"JobId=7 JobName=train\n   JobState=RUNNING\n   RunTime=14:10:00 TimeLimit=90-00\n"
    b"   StartTime=2026-07-07T10:00:00 EndTime=2026-10-05T10:00:00\n"
    b"     Nodes=gpu01 CPU_IDs=4 Mem=2048 GRES=gpu:a100:1(IDX:0)\n   OverSubscribe=NO\n"
)


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Nothing landed; the lake begins two months before anything did."""
    return RawEstate.begun_in(tmp_path, first_day="2026-05-01")


def land(estate: RawEstate, source: str, content: bytes, *, night: int = 0) -> LandedObject:
    """Land what was extracted ten past midnight, so many nights after that before 8 July."""
    extension = "json" if content.startswith(b"{") else "txt"
    return estate.land(source, content, at=MIDNIGHT + timedelta(days=night, minutes=10), extension=extension)


def touched(estate: RawEstate, *arrived: LandedObject) -> list[str]:
    """The days of July that the objects touch, seen months later; they touch no day of another month."""
    days = [key.rpartition("|")[2] for key in estate.touched(*arrived, now=MONTHS_LATER).days]
    assert {day[:7] for day in days} <= {"2026-07"}
    return [day[8:] for day in days]


@pytest.mark.parametrize(
    ("source", "content"),
    [
        ("slurm/nodes", NODES),
        ("slurm/devices", DEVICES),
        ("kubernetes/nodes", api_list("Node")),
        ("kubernetes/pods", pod_list()),
    ],
)
def test_the_only_listing_touches_its_own_day_and_none_that_it_merely_holds_on_or_back_to(
    estate: RawEstate, source: str, content: bytes
) -> None:
    assert touched(estate, land(estate, source, content)) == ["08"]


@pytest.mark.parametrize("source", ["slurm/nodes", "slurm/devices"])
def test_equal_nightly_inventories_touch_the_nights_that_they_were_taken_on(estate: RawEstate, source: str) -> None:
    content = {"slurm/nodes": NODES, "slurm/devices": DEVICES}[source]
    nightly = [land(estate, source, content + b"\n" * night, night=night) for night in range(3)]

    assert touched(estate, *nightly) == ["08", "09", "10"]


def test_a_service_touches_the_days_from_its_beginning_to_the_last_listing_that_shows_it(estate: RawEstate) -> None:
    listed = land(
        estate, "kubernetes/pods", pod_list(pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02"))
    )

    assert touched(estate, listed) == ["05", "06", "07", "08"]


@pytest.mark.parametrize(("source", "content"), [("slurm/reservations", RESERVED), ("slurm/bindings", SAMPLED)])
def test_a_plan_touches_the_days_until_it_was_seen_and_not_those_until_its_end(
    estate: RawEstate, source: str, content: bytes
) -> None:
    assert touched(estate, land(estate, source, content)) == ["07", "08"]


def test_a_later_listing_touches_the_days_that_the_one_before_did_not_reach(estate: RawEstate) -> None:
    service = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02")
    land(estate, "kubernetes/pods", pod_list(service))
    estate.make(now=MIDNIGHT + timedelta(hours=1), source="kubernetes/pods")

    later = land(estate, "kubernetes/pods", pod_list(), night=3)

    assert touched(estate, later) == ["08", "09", "10", "11"]


def test_a_day_that_stands_is_touched_by_whatever_holds_on_to_it(estate: RawEstate) -> None:
    land(estate, "slurm/nodes", NODES)
    estate.make(now=MIDNIGHT + timedelta(days=4), source="slurm/nodes")

    other = land(estate, "slurm/nodes", NODES.replace(b"h100:8", b"h100:4"), night=2)

    assert touched(estate, other) == ["10", "11", "12"]


def test_records_touch_the_days_that_they_name(estate: RawEstate) -> None:
    extract = sacct(running(1, "07-06 08:00", "07-08 00:10"))

    assert touched(estate, land(estate, "slurm/sacct", extract)) == ["06", "07", "08"]
