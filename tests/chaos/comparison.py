"""What stands in a lake, read from the rows and bytes themselves, and how it differs from what was to stand there.

Not here: how it came about (storm.py).
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import polars as pl

from assets.materialisation import month_called
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import CONTRACTS
from orchestration.workspace import Workspace
from resources.content_hash import content_hash
from resources.lake_table import TABLES, OpenTable, open_table
from tests.chaos.small_month import MONTH

NOTHING = "nothing"


@dataclass(frozen=True)
class Standing:
    """`table|partition` -> hash of the rows that are read there; key -> sha256 of what landed and was let out."""

    contents: Mapping[str, str]
    objects: Mapping[str, str]

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """Read all of a lake, as it is now."""
        contents = {
            f"{contract.table}|{partition.key}": content_hash(table.frame([partition]).collect(), contract)
            for contract, table in _tables(workspace)
            for partition in _partitions(table, workspace)
        }
        objects = {
            each.key: hashlib.sha256(workspace.store.get(each.key)).hexdigest()
            for prefix in ("landing/", "published/")
            for each in workspace.store.list(prefix)
        }
        return cls(contents, objects)

    def differences_to(self, expected: "Standing") -> list[str]:
        """One line each: table, partition, expected, observed."""
        pairs = [("table", self.contents, expected.contents), ("object", self.objects, expected.objects)]
        return [
            f"{kind} {key.replace('|', ' partition ', 1)}: expected {other.get(key, NOTHING)[:12]}, "
            f"observed {mine.get(key, NOTHING)[:12]}"
            for kind, mine, other in pairs
            for key in sorted(mine.keys() | other.keys())
            if mine.get(key) != other.get(key)
        ]


def faults_of(workspace: Workspace) -> list[str]:
    """What must not be in any lake, whatever happened to it; one line each."""
    found = [fault for contract, table in _tables(workspace) for fault in _faults_of_table(contract, table, workspace)]
    found += [f"object {key}: stands below landing/ and nobody reads it" for key in workspace.landing.misnamed()]
    return [*found, *_evidence_amiss(workspace), *_instance_amiss(workspace.settings.home)]


def _tables(workspace: Workspace) -> Iterator[tuple[Contract, OpenTable]]:
    for contract in CONTRACTS:
        table = open_table(workspace.settings.location, contract)
        if table is not None:
            yield contract, table


def _partitions(table: OpenTable, workspace: Workspace) -> list[Partition]:
    """Those of the month, and any other that somehow has rows."""
    month = month_called(MONTH, workspace.settings)
    daily = table.contract.partitioned_by == ("cluster", "day")
    listed = pl.DataFrame(table.delta.get_add_actions(flatten=True))
    columns = [f"partition.{name}" for name in table.contract.partitioned_by]
    there = listed.select(columns).unique().rows() if not listed.is_empty() else []
    rowful = [Partition.of_day(*values) if daily else Partition.of_month(*values) for values in there]
    return list(dict.fromkeys([*(month.days_of(table.contract) if daily else (month.partition,)), *rowful]))


def _faults_of_table(contract: Contract, table: OpenTable, workspace: Workspace) -> Iterator[str]:
    rows = table.frame(_partitions(table, workspace)).collect()
    doubled = rows.filter(pl.struct(contract.key).is_duplicated())
    if len(doubled):
        yield f"table {contract.table}: {len(doubled)} rows share their key, the first {doubled.row(0)[:4]}"
    folder = f"{TABLES}/{contract.table}/_delta_log/"
    entries = {each.key.removeprefix(folder) for each in workspace.store.list(folder)}
    missing = [version for version in range(table.version + 1) if f"{version:020}.json" not in entries]
    if missing:
        yield f"table {contract.table}: its log has no entry of versions {missing}"
    noted = workspace.lake.states(contract, _partitions(table, workspace))
    for partition in _partitions(table, workspace):
        read = content_hash(table.frame([partition]).collect(), contract)
        note = noted.get(partition.key)
        if note is not None and note.content_hash != read:
            yield f"table {contract.table} partition {partition.key}: noted {note.content_hash[:12]}, read {read[:12]}"


def _evidence_amiss(workspace: Workspace) -> list[str]:
    held = workspace.lake.scan(CERTIFICATE, [Partition.of_month(MONTH)]).frame.collect()
    if held.is_empty():
        return [f"certificate {MONTH}: there is none"]
    read = [workspace.evidence.read(key) for key in sorted(set(held["evidence"]))]
    return [
        f"evidence of {each.check} {each.partition}: does not pass"
        for each in read
        if each.blocking and not each.passed
    ]


def _instance_amiss(home: Path) -> list[str]:
    said = {}
    for file in home.rglob("*.db"):
        with sqlite3.connect(file) as connection:
            said[file] = connection.execute("PRAGMA integrity_check").fetchone()[0]
    return [f"instance {file}: {word}" for file, word in said.items() if word != "ok"]
