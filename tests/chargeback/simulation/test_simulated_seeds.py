"""Other estates than the usual two, of many sizes, intervals and calendars: every table is true of each of them."""

from collections.abc import Callable

import pytest

from chargeback.simulation.estate_plan import CLUSTERS
from tests.chargeback.simulation import test_simulated_activity, test_simulated_usage
from tests.chargeback.simulation.simulated import SimulatedEstate, simulated

ESTATES = [(16, 3, "2026-10-24", 50, 300), (24, 4, "2026-10-23", 31, 120), (20, 3, "2027-03-27", 32, 300)]
"""GPUs, days, first day, seed, scrape interval: both changes of the clock."""

Test = Callable[[tuple[SimulatedEstate, str]], None]

TESTS: list[Test] = [
    test
    for module in (test_simulated_usage, test_simulated_activity)
    for name, test in sorted(vars(module).items())
    if name.startswith("test_")
]


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("arguments", ESTATES, ids=str)
def test_every_table_is_true_of_every_estate(arguments: tuple[int, int, str, int, int], cluster: str) -> None:
    gpus, days, first_day, seed, scrape_seconds = arguments
    estate = simulated(gpus, days, first_day, seed, scrape_seconds)

    for test in TESTS:
        test((estate, cluster))
