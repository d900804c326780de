"""Listings of workload objects and of granted devices touch exactly the days whose facts they change.

Every answer is held against the slow definition too: each day folded from all that landed, against what stands there.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orchestration.touched import Touched
from resources.landing import LandedObject
from tests.chargeback.usage.landed_kubernetes import api_list, at, time
from tests.raw_estate import RawEstate

NOW = datetime(2026, 7, 10, 1, tzinfo=UTC)
DRA = "resource.k8s.io/v1"
WORKLOADS, CLAIMS = "kubernetes/workloads", "kubernetes/claims"


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Nothing landed, and the days from 6 July on are open; `time` counts from 8 July."""
    return RawEstate.begun_in(tmp_path, first_day="2026-07-06")


def land(estate: RawEstate, source: str, listing: bytes, *, taken: str) -> LandedObject:
    """Land a full listing."""
    return estate.land(source, listing, at=at(taken), extension="json")


def landed_nightly(estate: RawEstate, source: str, listing: bytes) -> None:
    """The same listing of three nights, and every day made from them."""
    for night in ("-1 00:10", "00:10", "+1 00:10"):
        land(estate, source, listing, taken=night)
    estate.make(now=NOW, source=source)


def touched_days(estate: RawEstate, landed: LandedObject) -> list[str]:
    """The days of July that an object touches; they are the ones that the slow definition finds."""
    touched = estate.touched(landed, now=NOW)
    assert set(touched.days) == estate.differing(now=NOW, source=landed.source)
    return [key.removeprefix("k8s-b|2026-07-") for key in touched.days]


def says_nothing(estate: RawEstate, landed: LandedObject) -> bool:
    """Whether an object touches no partition, in both definitions."""
    nothing = Touched({}, {}, frozenset({landed.key}), {})
    return estate.touched(landed, now=NOW) == nothing and touched_days(estate, landed) == []


def jobs(*parallelism: int) -> bytes:
    """A full listing of Jobs created on 6 July, by how many pods each runs side by side."""
    return api_list(
        "Job",
        *(
            {
                "metadata": {
                    "name": f"train-{number}", "namespace": "vision", "uid": f"w-{number}",
                    "creationTimestamp": time("-2 08:00"),
                },
                "spec": {"parallelism": pods}, "status": {},
            }
            for number, pods in enumerate(parallelism)
        ),
        api_version="batch/v1",
    )  # fmt: skip


def claims(*devices: str, allocated: str = "-2 09:00") -> bytes:
    """A full listing of claims, one of each device, granted on 6 July."""

    def claim(device: str) -> dict[str, Any]:
        granted = [{"request": "gpu", "driver": "gpu.nvidia.com", "pool": "node-1", "device": device}]
        return {
            "metadata": {
                "name": device, "namespace": "vision", "uid": f"c-{device}", "creationTimestamp": time("-2 08:59"),
            },
            "spec": {"devices": {"requests": [{"name": "gpu"}]}},
            "status": {
                "allocation": {"allocationTimestamp": time(allocated), "devices": {"results": granted}},
                "reservedFor": [{"resource": "pods", "name": f"pod-{device}", "uid": f"p-{device}"}],
            },
        }  # fmt: skip

    return api_list("ResourceClaim", *map(claim, devices), api_version=DRA)


def slices(*devices: str) -> bytes:
    """A full listing of the one ResourceSlice of a node."""
    published = [{"name": each, "attributes": {"type": {"string": "gpu"}, "uuid": {"string": f"GPU-{each}"}}}
                 for each in devices]  # fmt: skip
    spec = {"driver": "gpu.nvidia.com", "nodeName": "node-1", "pool": {"name": "node-1", "generation": 1},
            "devices": published}  # fmt: skip
    metadata = {"name": "node-1", "uid": "s-1", "creationTimestamp": time("-9 00:00")}
    return api_list("ResourceSlice", {"metadata": metadata, "spec": spec}, api_version=DRA)


FIRST = [(WORKLOADS, jobs(2)), (CLAIMS, claims("gpu-0"))]
NEXT = [(WORKLOADS, jobs(2), jobs(2, 4)), (CLAIMS, claims("gpu-0"), claims("gpu-0", "gpu-1"))]
GONE = [(WORKLOADS, jobs(2, 4), jobs(2)), (CLAIMS, claims("gpu-0", "gpu-1"), claims("gpu-0"))]


@pytest.mark.parametrize(("source", "listing"), FIRST, ids=["workloads", "claims"])
def test_the_first_listing_touches_the_days_since_what_it_shows_began(
    estate: RawEstate, source: str, listing: bytes
) -> None:
    estate.make(now=NOW, source=source)

    assert touched_days(estate, land(estate, source, listing, taken="00:10")) == ["06", "07", "08"]


@pytest.mark.parametrize(("source", "listing"), FIRST, ids=["workloads", "claims"])
def test_the_daily_listing_of_what_goes_on_touches_the_newest_days_only(
    estate: RawEstate, source: str, listing: bytes
) -> None:
    landed_nightly(estate, source, listing)

    assert touched_days(estate, land(estate, source, listing, taken="+2 00:10")) == ["09", "10"]


@pytest.mark.parametrize(("source", "before", "after"), NEXT, ids=["workloads", "claims"])
def test_what_only_the_newest_listing_shows_touches_no_day_that_earlier_listings_tell_of(
    estate: RawEstate, source: str, before: bytes, after: bytes
) -> None:
    landed_nightly(estate, source, before)

    assert touched_days(estate, land(estate, source, after, taken="+2 00:10")) == ["09", "10"]


@pytest.mark.parametrize(("source", "before", "after"), GONE, ids=["workloads", "claims"])
def test_what_is_gone_from_a_listing_touches_the_days_that_it_was_thought_to_last_on(
    estate: RawEstate, source: str, before: bytes, after: bytes
) -> None:
    landed_nightly(estate, source, before)

    assert touched_days(estate, land(estate, source, after, taken="+1 12:00")) == ["09"]


@pytest.mark.parametrize(("source", "listing"), FIRST, ids=["workloads", "claims"])
def test_a_listing_between_two_that_show_the_same_says_nothing_new(
    estate: RawEstate, source: str, listing: bytes
) -> None:
    landed_nightly(estate, source, listing)

    assert says_nothing(estate, land(estate, source, listing, taken="12:00"))


def test_slices_with_another_device_touch_the_days_from_their_listing_on(estate: RawEstate) -> None:
    landed_nightly(estate, CLAIMS, slices("gpu-0"))

    assert touched_days(estate, land(estate, CLAIMS, slices("gpu-0", "gpu-1"), taken="+1 12:00")) == ["09", "10"]


def test_the_same_slices_listed_again_say_nothing_new(estate: RawEstate) -> None:
    landed_nightly(estate, CLAIMS, slices("gpu-0"))

    assert says_nothing(estate, land(estate, CLAIMS, slices("gpu-0"), taken="+1 12:00"))
