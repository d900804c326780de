"""The simulated Kubernetes cluster: what it lists is read by the real parsers and tables say exactly what is true."""

from collections import Counter
from collections.abc import Callable

import polars as pl
import pytest

from chargeback.billing_period import day_interval
from chargeback.simulation.estate_plan import KUBERNETES
from tests.chargeback.simulation.simulated import (
    ZONE,
    SimulatedEstate,
    gpu_seconds_by,
    month_end,
    small_estate,
    true_gpu_seconds,
)
from tests.chargeback.simulation.simulated_days import kubernetes_day, parsed

ESTATES: dict[str, Callable[[], SimulatedEstate]] = {
    "over the change of the clock": small_estate,
    "over the month's end": month_end,
}


@pytest.fixture(scope="module", params=ESTATES)
def estate(request: pytest.FixtureRequest) -> SimulatedEstate:
    """The estate."""
    return ESTATES[request.param]()


def test_every_object_is_read_and_no_record_is_quarantined(estate: SimulatedEstate) -> None:
    for source in ("kubernetes/pods", "kubernetes/nodes"):
        assert [extract.quarantined for extract in parsed(estate, KUBERNETES, source) if extract] == [
            () for extract in parsed(estate, KUBERNETES, source) if extract
        ]


def test_every_pod_holds_exactly_what_it_held(estate: SimulatedEstate) -> None:
    for day, true in estate.of(KUBERNETES).items():
        holds = kubernetes_day(estate, day).holds

        assert gpu_seconds_by(holds, "run", "accelerator") == true_gpu_seconds(true["held"]), day


def test_every_pod_stands_in_its_days_with_its_class_and_how_it_ended(estate: SimulatedEstate) -> None:
    for day, true in estate.of(KUBERNETES).items():
        interval = day_interval(day, ZONE)
        runs = kubernetes_day(estate, day).runs
        ended = runs.filter(
            pl.col("bound").is_not_null(), pl.col("ended") >= interval.start, pl.col("ended") < interval.end
        )

        assert len(runs) == true["runs"], day
        assert Counter(runs["workload_class"]) == true["classes"], day
        assert Counter(ended["end_cause"]) == true["ended"], day
