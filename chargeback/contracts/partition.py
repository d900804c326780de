"""Which part of a table is meant: one (cluster, day), or one month. Not here: calendars (billing_period.py)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Values of a table's partition columns, in the contract's order.

    `key` is spelled as Dagster spells it (dimensions in alphabetical order): `slurm-a|2026-10-05`, `2026-10`.
    """

    values: tuple[tuple[str, str], ...]

    @classmethod
    def of_day(cls, cluster: str, day: str) -> "Partition":
        """The partition of one cluster and local day (`2026-10-05`)."""
        return cls((("cluster", cluster), ("day", day)))

    @classmethod
    def of_month(cls, month: str) -> "Partition":
        """The partition of one billing month (`2026-10`)."""
        return cls((("month", month),))

    @classmethod
    def from_key(cls, key: str) -> "Partition":
        """Read a key as `key` spells it."""
        cluster, bar, day = key.rpartition("|")
        return cls.of_day(cluster, day) if bar else cls.of_month(key)

    @property
    def key(self) -> str:
        """The Dagster partition key."""
        return "|".join(value for _, value in self.values)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the partition columns."""
        return tuple(name for name, _ in self.values)

    def __str__(self) -> str:
        return self.key
