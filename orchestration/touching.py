"""What is being found out of some arrived objects: partitions that they touch, objects that nobody can use."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assets.landed_records import day_called
from assets.materialisation import Day
from orchestration.workspace import Workspace
from resources.lake_records import PartitionState
from resources.observations import Observations
from resources.parsed_object import ParsedObject


@dataclass(frozen=True, slots=True)
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


@dataclass(slots=True)
class Touching:
    """Partitions and objects, as they are found. `objects` are those that touch something or were refused."""

    days: dict[str, set[str]] = field(default_factory=dict)
    months: dict[str, set[str]] = field(default_factory=dict)
    objects: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    def touch_day(self, partition_key: str, objects: set[str]) -> None:
        """Objects that change what stands in a (cluster, day)."""
        self.days.setdefault(partition_key, set()).update(objects)
        self.objects |= objects

    def touch_month(self, month: str, table: str, objects: set[str]) -> None:
        """Objects that change a month's table of people's files."""
        self.months.setdefault(month, set()).add(table)
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
            self.months.setdefault(month, set()).update(tables)
        self.refused.update(other.refused)
        self.objects |= other.objects


def is_taken(state: PartitionState, key: str) -> bool:
    """Whether a partition was made from a landing object."""
    return f"landing|{key}" in state.inputs
