"""Kubernetes snapshots as they are read back from landing/: which tell of a day, and which are full listings."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chargeback.billing_period import Interval
from resources.landing import Landing
from resources.object_store import ObjectStore
from resources.observations import Observations
from resources.parsed_object import ParsedObject
from resources.settings import load_settings
from tests.chargeback.usage.landed_kubernetes import api_list, at, kubectl_list, pod, pod_list

TOML = """\
[lake]
root = "lake"
[billing]
timezone = "UTC"
currency = "EUR"
first_day = 2026-07-01
[clusters.k8s-b]
scheduler = "kubernetes"
"""

DAY = Interval(at("00:00"), at("+1 00:00"))
SERVICE = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02")


class Snapshots:
    """Lands snapshots and asks which of them tell of the day."""

    def __init__(self, store: ObjectStore, settings_file: Path) -> None:
        self._landing = Landing(store)
        self._store, self._settings = store, load_settings(settings_file)

    def land(self, time: str, content: bytes, *, source: str = "kubernetes/pods") -> None:
        """Land one snapshot, extracted at a time."""
        self._landing.land(content, source=source, cluster="k8s-b", extracted_at=at(time), extension="json")

    @property
    def observations(self) -> Observations:
        """What can be read now."""
        return Observations(self._landing, self._store, self._settings)

    def telling(self, source: str = "kubernetes/pods") -> list[ParsedObject]:
        """The objects that tell of the day."""
        return self.observations.of_interval(source, "k8s-b", DAY)


@pytest.fixture
def snapshots(store: ObjectStore, tmp_path: Path) -> Snapshots:
    (tmp_path / "chargeback.toml").write_text(TOML)
    return Snapshots(store, tmp_path / "chargeback.toml")


def test_equal_listings_are_two_observations_and_the_old_day_asks_for_no_later_one(snapshots: Snapshots) -> None:
    for night in range(-1, 4):
        snapshots.land(f"{night} 00:10", pod_list(SERVICE))

    telling = snapshots.telling()
    seen = snapshots.observations.frame(telling)

    assert [each.extracted_at for each in telling] == [at("-1 00:10"), at("00:10"), at("+1 00:10")]
    assert seen is not None
    assert seen["extracted_at"].to_list() == [each.extracted_at for each in telling]
    assert seen["object"].n_unique() == 3
    assert seen["overlaps_until"].to_list() == seen["extracted_at"].to_list()


def test_an_empty_listing_is_asked_for_and_kept_among_the_listings(snapshots: Snapshots) -> None:
    snapshots.land("12:11", pod_list(SERVICE))
    snapshots.land("12:16", pod_list())
    snapshots.land("12:20", kubectl_list(SERVICE))

    listings = snapshots.observations.listings("kubernetes/pods", "k8s-b")

    assert [each.extracted_at for each in snapshots.telling()] == [at("12:11"), at("12:16"), at("12:20")]
    assert listings.rows() == [(at("12:11"), "Pod"), (at("12:16"), "Pod")]


def test_listings_of_claims_and_slices_do_not_supersede_each_other(snapshots: Snapshots) -> None:
    for kind, time in (("ResourceClaim", "-1 00:10"), ("ResourceSlice", "-1 00:11")):
        snapshots.land(time, api_list(kind, api_version="resource.k8s.io/v1"), source="kubernetes/claims")

    assert [sorted(each.full_listings_of) for each in snapshots.telling("kubernetes/claims")] == [
        ["ResourceClaim.resource.k8s.io"],
        ["ResourceSlice.resource.k8s.io"],
    ]


def test_what_says_no_time_speaks_of_its_extraction(snapshots: Snapshots) -> None:
    devices = [{"resource_name": "nvidia.com/gpu", "device_ids": ["GPU-1"]}]
    told = {"name": "a", "namespace": "n", "containers": [{"name": "c", "devices": devices}]}
    snapshots.land("12:00", str({"pod_resources": [told]}).replace("'", '"').encode(), source="kubernetes/claims")

    (telling,) = snapshots.telling("kubernetes/claims")

    assert (telling.overlaps_from, telling.overlaps_until) == (at("12:00"), at("12:00"))


def test_a_listing_that_breaks_off_is_quarantined_as_a_whole_and_proves_nothing(snapshots: Snapshots) -> None:
    snapshots.land("12:00", pod_list(SERVICE)[:-30])

    (broken,) = snapshots.observations.parsed("kubernetes/pods", "k8s-b")

    assert (broken.is_readable, broken.full_listings_of, broken.records) == (False, frozenset(), 1)
    assert "breaks off" in broken.quarantined[0].reason
    assert broken.landed.extracted_at == datetime(2026, 7, 8, tzinfo=UTC) + timedelta(hours=12)
