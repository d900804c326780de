"""A whole simulated estate as the objects that its sources would have landed, day by day.

The same arguments make the same bytes: there is no clock, and nothing is drawn but from the seed. Only what can still
matter is kept in memory. Not here: where the objects go (orchestration/simulate.py).
"""

import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from chargeback.simulation.calendar_days import HOUR, SimulatedDays
from chargeback.simulation.dcgm_writer import Telemetry
from chargeback.simulation.device_activity import Holding
from chargeback.simulation.disturbed_telemetry import shown_by
from chargeback.simulation.estate_plan import BILLING_ZONE, FEWEST_DAYS, KUBERNETES, plan_estate
from chargeback.simulation.kubernetes_side import KubernetesSide
from chargeback.simulation.made import Made, compressed
from chargeback.simulation.people_writer import ownership_csv, rate_card_yaml
from chargeback.simulation.side import Side
from chargeback.simulation.slurm_side import SlurmSide
from chargeback.simulation.truth import RunFact, Truth
from chargeback.simulation.truth_activity import Sampled

FIRST_DAY = date(2026, 10, 1)
SCRAPE_SECONDS = 300
SHORTEST_SCRAPE, LONGEST_SCRAPE = 10, HOUR
KEPT_SECONDS = 3 * 24 * HOUR
"""What ended that long before a day's start no source speaks of any more."""

CORRUPT_ON = (KUBERNETES, 1)
"""Of this cluster and day one telemetry object landed half, and whole a minute later."""


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
    if not SHORTEST_SCRAPE <= scrape_seconds <= LONGEST_SCRAPE:
        raise ValueError(f"no exporter is scraped every {scrape_seconds} s: take {SHORTEST_SCRAPE} to {LONGEST_SCRAPE}")
    estate = plan_estate(gpus=gpus, seed=seed)
    calendar = SimulatedDays(first_day, days, ZoneInfo(BILLING_ZONE))
    if truth is not None:
        truth.arguments = {
            "days": days, "first_day": first_day.isoformat(), "gpus": gpus, "scrape_seconds": scrape_seconds,
            "seed": seed, "billing_zone": BILLING_ZONE,
        }  # fmt: skip
    return _day_by_day(
        (SlurmSide(estate, calendar, seed), KubernetesSide(estate, calendar, seed)), calendar, scrape_seconds, truth
    )


def _day_by_day(
    sides: Sequence[Side], calendar: SimulatedDays, scrape_seconds: int, truth: Truth | None
) -> Iterator[Made]:
    yield from _handed_in(calendar.first_day)
    telemetry = {
        side.cluster: Telemetry(side.cluster, side.hosts, calendar, scrape_seconds, side.disturbances())
        for side in sides
    }
    for side in sides:
        side.plan(0)
        if truth is not None:
            truth.note_shown(side.shown() + shown_by(side.disturbances()))
    for day in range(calendar.count):
        for side in sides:
            if day + 1 < calendar.count:
                side.plan(day + 1)
            yield from side.objects(day)
            yield from _telemetry(telemetry[side.cluster], side, day, truth)
            side.forget(calendar.starts[day] - KEPT_SECONDS)


def _telemetry(telemetry: Telemetry, side: Side, day: int, truth: Truth | None) -> Iterator[Made]:
    facts = side.facts()
    samples: dict[str, list[Sampled]] = {}
    for number, made in enumerate(telemetry.objects_of(day, _by_device(facts), samples)):
        if number == 0 and (side.cluster, day) == CORRUPT_ON:
            yield _half_of(made, truth)
        yield made
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


def _half_of(made: Made, truth: Truth | None) -> Made:
    """The first half of what the object holds, as a broken upload leaves it."""
    content = gzip.decompress(made.content)
    half = replace(
        made,
        content=compressed(content[: len(content) // 2]),
        extracted_at=made.extracted_at - timedelta(minutes=1),
    )
    if truth is not None:
        at = half.extracted_at.strftime("%Y-%m-%dT%H:%M:%SZ")
        truth.note_quarantined(source=half.source, cluster=half.cluster or "", extracted_at=at, records=1)
    return half


def _handed_in(first_day: date) -> Iterator[Made]:
    """What people had handed in nine days before the first day."""
    at = datetime(first_day.year, first_day.month, first_day.day, 8, tzinfo=UTC) - timedelta(days=9)
    yield Made("ownership", None, ownership_csv().encode(), at, "csv")
    yield Made("rate-cards", None, rate_card_yaml(first_day).encode(), at, "yaml")


def _by_device(facts: Sequence[RunFact]) -> Mapping[str, list[Holding]]:
    found: dict[str, list[Holding]] = defaultdict(list)
    for fact in facts:
        for grant in fact.holding.grants if fact.holding else ():
            if fact.holding is not None and fact.holding not in found[grant.device.identity]:
                found[grant.device.identity].append(fact.holding)
    return found
