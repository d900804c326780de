"""What is being found out of some arrived objects: partitions that they touch, objects that nobody can use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assets.landed_records import day_called
from assets.materialisation import Day
from chargeback.billing_period import Interval
from orchestration.workspace import Workspace
from resources.lake_records import PartitionState
from resources.observations import Observations
from resources.parsed_object import ParsedObject

INVENTORIES = ("slurm/nodes", "slurm/devices", "kubernetes/nodes")
"""What there was, said at the extraction; that it was so before is taken for granted, not told."""

PLANS = ("slurm/reservations", "slurm/bindings")
"""Sources whose records name an end that is still to come."""


@dataclass(frozen=True)
class Asking:
    """Objects of one source and cluster, and the open days that they are held against."""

    parsed: Sequence[ParsedObject]
    source: str
    cluster: str
    days: Sequence[str]
    observations: Observations
    workspace: Workspace

    @property
    def keys(self) -> set[str]:
        """The objects' keys."""
        return {each.landed.key for each in self.parsed}

    def day(self, name: str) -> Day:
        """A day of the cluster."""
        return day_called(self.cluster, name, self.workspace.settings)

    def keys_that_speak_of(self, day: Day) -> set[str]:
        """Those of the objects of which a record can speak of a day."""
        of_day = self.observations.of_interval(self.source, self.cluster, day.interval)
        return self.keys & {each.landed.key for each in of_day}

    def has_arrived_of(self, day: Day) -> bool:
        """Whether something has arrived of a day that has no table yet.

        A listing holds on until the next one, an inventory also back until the first, a plan until its end: of the days
        beyond what was seen nothing has arrived, and months of them would be computed from one old object.
        """
        return day.interval.start <= self._seen.end and day.interval.end > self._seen.start

    @cached_property
    def _seen(self) -> Interval:
        """From the first to the last instant at which the source saw something, by all that has landed of it."""
        landed = self.observations.parsed(self.source, self.cluster)
        instants = [each.extracted_at for each in landed]
        if self.source not in INVENTORIES:
            instants += [each.overlaps_from for each in landed if each.overlaps_from]
            if self.source not in PLANS:
                instants += [each.overlaps_until for each in landed if each.overlaps_until]
        return Interval(min(instants), max(instants))


@dataclass(slots=True)
class Touching:
    """Partitions and objects, as they are found. `objects` are those that touch something or were refused."""

    days: dict[str, set[str]] = field(default_factory=dict)
    months: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    objects: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    def touch_day(self, partition_key: str, objects: set[str]) -> None:
        """Objects that change what stands in a (cluster, day)."""
        self.days.setdefault(partition_key, set()).update(objects)
        self.objects |= objects

    def touch_month(self, month: str, table: str, objects: set[str]) -> None:
        """Objects that change a month's table of people's files."""
        self.months.setdefault(month, {}).setdefault(table, set()).update(objects)
        self.objects |= objects

    def refuse(self, key: str, reason: str) -> None:
        """An object that nobody can use."""
        self.refused[key] = reason
        self.objects.add(key)

    def add(self, other: "Touching") -> None:
        """All that was found elsewhere."""
        for partition_key, objects in other.days.items():
            self.touch_day(partition_key, objects)
        for month, tables in other.months.items():
            for table, objects in tables.items():
                self.touch_month(month, table, objects)
        self.refused.update(other.refused)
        self.objects |= other.objects


def is_taken(state: PartitionState, key: str) -> bool:
    """Whether a partition was made from a landing object."""
    return f"landing|{key}" in state.inputs
