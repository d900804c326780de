"""On a simulated estate with all that goes wrong, every GPU-hour is attributed once, as bound and as capacity says."""

from collections.abc import Callable

import pytest

from chargeback.attribution.conservation import (
    attribution_against_bindings,
    attribution_against_capacity,
    attribution_against_holds,
    gpus_held_twice,
    states_add_up,
)
from chargeback.billing_period import day_interval
from chargeback.simulation.estate_plan import CLUSTERS
from chargeback.usage.binding_conflicts import doubly_bound
from chargeback.usage.set_members import members_of
from tests.chargeback.simulation.simulated import ZONE, SimulatedEstate, month_end, small_estate
from tests.chargeback.simulation.simulated_days import measured, tables_of


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("make", [small_estate, month_end])
def test_nothing_is_lost_or_made_between_holds_bindings_capacity_and_attribution(
    make: Callable[[], SimulatedEstate], cluster: str
) -> None:
    estate = make()
    for day in estate.of(cluster):
        tables, seen = tables_of(estate, cluster, day), measured(estate, cluster, day)
        hours = seen.attribution
        findings = [
            attribution_against_holds(hours, tables.holds),
            attribution_against_bindings(hours, seen.bindings),
            attribution_against_capacity(hours, tables.capacity, members_of(hours["host"], tables.capacity["host"])),
            gpus_held_twice(hours, interval=day_interval(day, ZONE)),
            states_add_up(hours),
            doubly_bound(seen.bindings),
        ]

        assert [len(each) for each in findings] == [0] * len(findings), day
        assert len(hours) > 0
