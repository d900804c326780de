"""A Kubernetes listing touches the days on which what it shows is new: the newest ones, however long a pod has run."""

from datetime import UTC, datetime
from pathlib import Path

from tests.chargeback.usage.landed_kubernetes import at, pod, pod_list
from tests.raw_estate import RawEstate

SERVICE = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02")
NOW = datetime(2026, 7, 10, tzinfo=UTC)


def test_a_service_of_many_days_in_a_daily_listing_touches_the_newest_days_only(tmp_path: Path) -> None:
    estate = RawEstate.begun_in(tmp_path, first_day="2026-07-06")
    for night in ("-1 00:10", "00:10", "+1 00:10"):
        estate.land("kubernetes/pods", pod_list(SERVICE), at=at(night), extension="json")
    estate.make(now=NOW, source="kubernetes/pods")

    daily = estate.land("kubernetes/pods", pod_list(SERVICE), at=at("+2 00:10"), extension="json")

    touched = set(estate.touched(daily, now=NOW).days)
    assert touched == estate.differing(now=NOW, source="kubernetes/pods")
    assert set() < touched <= {"k8s-b|2026-07-09", "k8s-b|2026-07-10"}
