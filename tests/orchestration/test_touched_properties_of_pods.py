"""What listings, prints and events of pods touch equals the slow definition, whatever order they land in.

The slow definition: every day folded from all that landed, held against what stands.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from resources.landing import LandedObject
from tests.chargeback.usage.landed_kubernetes import events, kubectl_list, pod, pod_list
from tests.raw_estate import RawEstate

FEW = settings(max_examples=5, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
BEGINS = datetime(2026, 7, 8, tzinfo=UTC)
NOW = BEGINS + timedelta(days=2)

PODS = st.lists(st.tuples(st.integers(-40, 30), st.integers(1, 90)), min_size=1, max_size=4)
"""Hour of its creation, and hours until it is gone, on the clock of landed_kubernetes."""

SEEN = st.lists(
    st.tuples(st.integers(-30, 60), st.sampled_from(["listing", "listing", "print", "event"])), min_size=1, max_size=3
)


def clock(number: int) -> str:
    """An hour as landed_kubernetes spells it."""
    return f"{number // 24:+d} {number % 24:02}:00"


def seen_at(pods: list[tuple[int, int]], number: int, how: str) -> bytes:
    """What is shown at an hour of the pods that exist then; an event shows one that went within the last hours."""
    there = [
        pod(f"u-{at}", created=clock(begun), scheduled=clock(begun), started=clock(begun))
        for at, (begun, hours) in enumerate(pods)
        if begun <= number < begun + hours + (12 if how == "event" else 0)
    ]
    if how == "event":
        return events(*(("DELETED" if at % 2 else "MODIFIED", each) for at, each in enumerate(there)))
    return pod_list(*there) if how == "listing" else kubectl_list(*there)


@FEW
@given(pods=PODS, before=SEEN, after=SEEN)
@example(pods=[(-30, 70), (0, 20)], before=[(0, "listing"), (24, "listing")], after=[(48, "listing"), (30, "event")])
def test_snapshots_of_pods_touch_exactly_the_days_that_would_be_folded_otherwise(
    pods: list[tuple[int, int]], before: list[tuple[int, str]], after: list[tuple[int, str]]
) -> None:
    with TemporaryDirectory() as folder:
        estate = RawEstate.begun_in(Path(folder), first_day="2026-07-07")

        def land(number: int, how: str) -> LandedObject:
            at = BEGINS + timedelta(hours=number)
            return estate.land("kubernetes/pods", seen_at(pods, number, how), at=at, extension="json")

        for number, how in before:
            land(number, how)
        estate.make(now=NOW, source="kubernetes/pods")
        arrived = [land(number, how) for number, how in after]
        touched = estate.touched(*arrived, now=NOW)

        assert set(touched.days) == estate.differing(now=NOW, source="kubernetes/pods")
        estate.make(now=NOW, source="kubernetes/pods", only=touched.days)
        assert estate.touched(*arrived, now=NOW).days == {}
