"""What the lake says about a part of a table, and what it says when it refuses. Not here: storage (lake.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from resources.content_hash import fingerprint

UNKNOWN = "unknown"
"""Fingerprint and code version of a content whose making was not recorded: it is made again by its rule."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a content is made from: inputs by name (`raw_sacct|slurm-a|2026-10-05`, `settings`) with their hashes."""

    run_id: str
    code_version: str
    inputs: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        """Hash of code version and inputs. The run is not part of it: two runs from the same inputs are the same."""
        return fingerprint({"code_version": self.code_version, "inputs": dict(self.inputs)})


@dataclass(frozen=True, slots=True)
class PartitionState:
    """What stands in a partition, and what it was made from. `version` is the one that last wrote or confirmed it."""

    content_hash: str
    input_fingerprint: str
    inputs: Mapping[str, str]
    code_version: str
    row_count: int
    version: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """Partitions as read: their rows, `table|partition` -> content hash of each, keys of those never written.

    `version` is the table's version that all of it was read at; None if the table does not exist.
    """

    frame: pl.LazyFrame
    contents: Mapping[str, str]
    missing: tuple[str, ...]
    version: int | None


Reason = Literal["new", "changed", "unchanged input", "unchanged content"]


@dataclass(frozen=True, slots=True)
class Written:
    """What a replace came to. An unchanged partition has no new version."""

    table: str
    partition: str
    version: int
    content_hash: str
    row_count: int
    changed: bool
    reason: Reason


class LakeRefusal(Exception):
    """The lake did not do what was asked; nothing was written."""


class ContractBreach(LakeRefusal):
    """The frame breaks its table's contract, or holds rows of another partition; `breaches` names them all."""

    def __init__(self, breaches: Sequence[str]) -> None:
        self.breaches = tuple(breaches)
        super().__init__("; ".join(breaches))


class MonthClosed(LakeRefusal):
    """The month is closed: it may not change any more."""

    def __init__(self, table: str, month: str, certificate_hash: str) -> None:
        self.table, self.month, self.certificate_hash = table, month, certificate_hash
        super().__init__(
            f"{table} {month} is closed under certificate {certificate_hash[:12]} and may not change: "
            "book the difference as a correction in an open month"
        )


class PartitionContended(LakeRefusal):
    """Another run changed the same partition, or kept changing the table, while this one wrote."""


class Unreproducible(LakeRefusal):
    """The same code made other rows from the same inputs: an input is not recorded, or the rule depends on chance."""


class LakeCorruption(Exception):
    """What stands in the lake is not what was written. Stop, and look at it."""
