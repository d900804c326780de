"""What really happened on a simulated estate, as integers and fractions, so that tables can be held against it.

It follows from the plans and from the samples that were written, by slow and obvious code of its own
(truth_capacity.py, truth_activity.py), never from the rules that are held against it. `Truth.as_json` has:

    arguments                       what the estate was made from
    features                        name of a scene -> how many runs, hosts or objects show it
    quarantined                     objects that end in quarantine: source, cluster, extracted at, records
    clusters.<c>.never_held         runs that never held a GPU (never scheduled or started, no GPUs, reservation pods)
    clusters.<c>.days.<day>
      runs                          rows of the day: runs that held, waited or began on it
      classes                       of these, by workload class
      ended                         runs that had started and ended on the day, by end cause
      held.<run>.<accelerator>      GPU-seconds, exact
      owners                        the same by team | cost centre | accelerator | tier
      unattributed                  GPU-seconds that nobody answers for
      after_end.<run>               GPU-seconds held after the workload of the run had ended
      activity.<run>.<gpu>          milliseconds of that device within the hold: observed, idle, starved, active;
                                    consumed (ppm x ms) and energy (uJ, null if never sampled)
      unallocated_activity.<gpu>    milliseconds (active), ppm x ms (consumed) while nobody held the device, summed over
                                    the hours in which it was active then
      capacity.<accelerator>        GPU-seconds in each state of design.md 5.4, adding up to `capacity`

Exact figures are texts: `86400`, `3/7`. Not here: what is planned and written.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.device_activity import Holding
from chargeback.simulation.estate_plan import Host
from chargeback.simulation.truth_activity import Sampled, activity_of_day, observed_of_day, unallocated_of_day
from chargeback.simulation.truth_capacity import CapacitySpell, capacity_of_day

UNATTRIBUTED = "unattributed"


@dataclass(frozen=True, slots=True)
class RunFact:
    """What is true of one run, whatever its scheduler.

    It stands in the table of runs of the days that [row_from, row_until) touches. `holding` is what it held by the
    rules of billing, which can be longer than what it did; None if nothing. `workload_ended`: see after_end.
    """

    run: str
    row_from: int
    row_until: int
    workload_class: str
    tier: str
    owners: Mapping[tuple[str, str], Fraction]
    end_cause: str = ""
    started: int | None = None
    ended: int | None = None
    holding: Holding | None = None
    workload_ended: int | None = None
    scenes: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[int, int]:
        """When it held: half-open, of no length if never."""
        if self.holding is None:
            return 0, 0
        return self.holding.held_from, FOREVER if self.holding.held_until is None else self.holding.held_until


@dataclass(slots=True)
class Truth:
    """Filled day by day while the estate is written."""

    arguments: dict[str, object] = field(default_factory=dict)
    features: Counter[str] = field(default_factory=Counter)
    quarantined: list[dict[str, object]] = field(default_factory=list)
    clusters: dict[str, dict[str, dict[str, object]]] = field(default_factory=dict)

    def note_run(self, cluster: str, fact: RunFact) -> None:
        """A run that was planned: count what it shows."""
        self.features.update(fact.scenes)
        if fact.holding is not None and fact.holding.label_lag:
            self.features["labels that stay after the end"] += 1
        if fact.holding is None:
            self._of(cluster).setdefault("never_held", {})[fact.run] = fact.row_from

    def note_shown(self, shown: Mapping[str, int]) -> None:
        """What there is to see beside runs."""
        self.features.update(shown)

    def note_quarantined(self, *, source: str, cluster: str, extracted_at: str, records: int) -> None:
        """An object that cannot be read."""
        self.features["corrupt object"] += 1
        found = {"source": source, "cluster": cluster, "extracted_at": extracted_at, "records": records}
        self.quarantined.append(found)

    def note_day(
        self,
        cluster: str,
        day: str,
        interval: tuple[int, int],
        *,
        facts: Sequence[RunFact],
        hosts: Sequence[Host],
        spells: Sequence[CapacitySpell],
        samples: Mapping[str, Sequence[Sampled]],
        staleness_seconds: int,
    ) -> None:
        """Work out one day of a cluster. `samples`: per device, from before the day's start, in order of time."""
        starts, ends = interval
        rows = [fact for fact in facts if _touches(fact, starts, ends)]
        held = {fact.run: fact for fact in rows if _overlap(fact.held, interval)}
        ended = [
            fact for fact in rows if fact.started is not None and fact.ended is not None and starts <= fact.ended < ends
        ]
        holdings = [fact.holding for fact in held.values() if fact.holding is not None]
        observed = observed_of_day(samples, interval, staleness_seconds)
        self._of(cluster).setdefault("days", {})[day] = {
            "runs": len(rows),
            "classes": dict(Counter(fact.workload_class for fact in rows)),
            "ended": dict(Counter(fact.end_cause for fact in ended)),
            "held": {run: _texts(_gpu_seconds(fact, interval)) for run, fact in held.items()},
            "owners": _texts(_by_owner(list(held.values()), interval)),
            "unattributed": str(
                sum((seconds for name, seconds in _by_owner(list(held.values()), interval).items()
                     if name.startswith(UNATTRIBUTED)), Fraction(0))
            ),
            "after_end": _texts(_after_end(list(held.values()), interval)),
            "activity": activity_of_day(holdings, observed),
            "unallocated_activity": unallocated_of_day(holdings, observed, interval),
            "capacity": capacity_of_day(hosts, holdings, spells, interval),
        }  # fmt: skip

    def as_json(self) -> str:
        """The whole truth, keys sorted."""
        found = {
            "arguments": self.arguments,
            "features": dict(self.features),
            "quarantined": self.quarantined,
            "clusters": {
                name: {**of, "never_held": sorted(of.get("never_held", {}))} for name, of in self.clusters.items()
            },
        }
        return json.dumps(found, sort_keys=True, indent=1) + "\n"

    def _of(self, cluster: str) -> dict[str, dict[str, object]]:
        return self.clusters.setdefault(cluster, {})


def _touches(fact: RunFact, starts: int, ends: int) -> bool:
    return starts <= fact.row_from < ends or (fact.row_from < starts < fact.row_until)


def _overlap(stretch: tuple[int, int], interval: tuple[int, int]) -> int:
    return max(0, min(stretch[1], interval[1]) - max(stretch[0], interval[0]))


def _gpu_seconds(fact: RunFact, interval: tuple[int, int]) -> dict[str, Fraction]:
    """By accelerator."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    for grant in fact.holding.grants if fact.holding else ():
        found[grant.device.accelerator] += grant.device.share(grant.units) * _overlap(fact.held, interval)
    return found


def _by_owner(held: Sequence[RunFact], interval: tuple[int, int]) -> dict[str, Fraction]:
    found: dict[str, Fraction] = defaultdict(Fraction)
    for fact in held:
        for accelerator, seconds in _gpu_seconds(fact, interval).items():
            for (team, cost_centre), part in fact.owners.items():
                found[f"{team}|{cost_centre}|{accelerator}|{fact.tier}"] += seconds * part
    return found


def _after_end(held: Sequence[RunFact], interval: tuple[int, int]) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for fact in held:
        if fact.workload_ended is not None and fact.held[1] > fact.workload_ended and fact.holding is not None:
            late = _overlap((max(fact.held[0], fact.workload_ended), fact.held[1]), interval)
            if late:
                found[fact.run] = sum((g.device.share(g.units) for g in fact.holding.grants), Fraction(0)) * late
    return found


def _texts(figures: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: str(value) for name, value in figures.items()}
