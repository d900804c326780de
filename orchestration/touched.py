"""Which partitions an arriving object touches: those whose facts, cut to the partition, it changes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Touched:
    """What some arrived objects ask for, by object key.

    `days`: `cluster|day` -> objects that change what stands there. `months`: `2026-10` -> tables of people's files
    (rate_card, ownership) whose content would be another. `changed_nothing`: objects that touch no partition.
    `refused`: object -> why nobody can use it.
    """

    days: Mapping[str, frozenset[str]]
    months: Mapping[str, frozenset[str]]
    changed_nothing: frozenset[str]
    refused: Mapping[str, str]
