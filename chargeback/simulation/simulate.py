"""A whole simulated estate as the objects that its sources would have landed, day by day.

The same arguments make the same bytes: there is no clock, and nothing is drawn but from the seed. Only what can still
matter is kept in memory. Not here: where the objects go (orchestration/simulate.py).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Protocol
from zoneinfo import ZoneInfo

from chargeback.simulation.calendar_days import HOUR, SimulatedDays
from chargeback.simulation.dcgm_writer import Telemetry
from chargeback.simulation.device_activity import Holding
from chargeback.simulation.estate_plan import BILLING_ZONE, FEWEST_DAYS, Host, plan_estate
from chargeback.simulation.kubernetes_side import KubernetesSide
from chargeback.simulation.made import Made
from chargeback.simulation.scraping import Disturbances
from chargeback.simulation.slurm_side import SlurmSide
from chargeback.simulation.truth import RunFact, Truth
from chargeback.simulation.truth_activity import Sampled
from chargeback.simulation.truth_capacity import CapacitySpell

FIRST_DAY = date(2026, 10, 1)
SCRAPE_SECONDS = 300
KEPT_SECONDS = 3 * 24 * HOUR
"""What ended that long before a day's start no source speaks of any more."""


def simulated_estate(
    *,
    gpus: int,
    days: int,
    seed: int,
    first_day: date = FIRST_DAY,
    scrape_seconds: int = SCRAPE_SECONDS,
    truth: Truth | None = None,
) -> Iterator[Made]:
    """Make the objects of both clusters and of the people, in order of days.

    `truth`, if given, is filled on the way: it is complete when the last object was taken.
    Raises: ValueError for an estate too small to show everything (FEWEST_GPUS, FEWEST_DAYS), or an odd scrape interval.
    """
    if days < FEWEST_DAYS:
        raise ValueError(f"{days} days are too few to show everything: take at least {FEWEST_DAYS}")
    if not 10 <= scrape_seconds <= HOUR:
        raise ValueError(f"a scrape every {scrape_seconds} s is none: take 10 to {HOUR}")
    estate = plan_estate(gpus=gpus, seed=seed)
    calendar = SimulatedDays(first_day, days, ZoneInfo(BILLING_ZONE))
    if truth is not None:
        truth.arguments = {
            "days": days, "first_day": first_day.isoformat(), "gpus": gpus, "scrape_seconds": scrape_seconds,
            "seed": seed, "billing_zone": BILLING_ZONE,
        }  # fmt: skip
    sides: tuple[tuple[Side, Telemetry], ...] = tuple(
        (side, Telemetry(side.cluster, side.hosts, calendar, scrape_seconds, Disturbances()))
        for side in (SlurmSide(estate, calendar, seed), KubernetesSide(estate, calendar, seed))
    )
    for day in range(days):
        for side, telemetry in sides:
            if day == 0:
                side.plan(0)
            if day + 1 < days:
                side.plan(day + 1)
            yield from side.objects(day)
            yield from _telemetry(telemetry, side, day, truth)
            side.forget(calendar.starts[day] - KEPT_SECONDS)


class Side(Protocol):
    """One cluster, whatever its scheduler."""

    @property
    def cluster(self) -> str:
        """Its name."""

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Its hosts."""

    def plan(self, day: int) -> None:
        """Let people submit on that day."""

    def forget(self, before: int) -> None:
        """Drop what ended before an instant."""

    def newly_planned(self) -> list[RunFact]:
        """Facts of what was planned since this was last asked."""

    def facts(self) -> list[RunFact]:
        """Facts of all runs that can still matter."""

    def capacity_spells(self) -> list[CapacitySpell]:
        """What befalls hosts."""

    def objects(self, day: int) -> Iterator[Made]:
        """What is extracted of a day."""


def _telemetry(telemetry: Telemetry, side: Side, day: int, truth: Truth | None) -> Iterator[Made]:
    facts = side.facts()
    samples: dict[str, list[Sampled]] = {}
    yield from telemetry.objects_of(day, _by_device(facts), samples)
    planned = side.newly_planned()
    if truth is None:
        return
    for fact in planned:
        truth.note_run(side.cluster, fact)
    starts = telemetry.days.starts
    truth.note_day(
        side.cluster, telemetry.days.names[day], (starts[day], starts[day + 1]), facts=facts, hosts=side.hosts,
        spells=side.capacity_spells(), samples=samples, staleness_seconds=telemetry.staleness,
    )  # fmt: skip


def _by_device(facts: Sequence[RunFact]) -> Mapping[str, list[Holding]]:
    found: dict[str, list[Holding]] = defaultdict(list)
    for fact in facts:
        for grant in fact.holding.grants if fact.holding else ():
            if fact.holding is not None and fact.holding not in found[grant.device.identity]:
                found[grant.device.identity].append(fact.holding)
    return found
