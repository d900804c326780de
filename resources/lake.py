"""The lake: every table as a Delta table, read and replaced partition by partition, on a directory or on S3.

    <root>/tables/<table>/...                      the rows, partitioned as the contract says
    <root>/tables/<table>/_chargeback/<key>.json   what stands in a partition and what it was made from (lake_state.py)

A replace is all or nothing, and the same content never makes a new version. Source: design.md 4 "Storage", 5.9, 5.10.
Not here: rules, and which inputs a rule has.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal, TypeVar

import polars as pl
from deltalake.exceptions import CommitFailedError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import MONTHLY
from resources.content_hash import content_hash, in_contract_order
from resources.lake_closing import close_month_of, closed_months_of
from resources.lake_commit import commit_partition, refuse_closed_month, verify_commit
from resources.lake_kept import table_at, table_now, table_to_write
from resources.lake_records import (
    UNKNOWN,
    ContractBreach,
    PartitionContended,
    PartitionState,
    Provenance,
    Reason,
    Scanned,
    Unreproducible,
    Written,
)
from resources.lake_state import partition_state, partition_states, write_state
from resources.lake_table import OpenTable, checked_partition
from resources.open_store import store_at
from resources.storage_location import StorageLocation

COMMIT_ATTEMPTS = 12
LONGEST_WAIT_SECONDS = 2.0
T = TypeVar("T")


class Lake:
    """All tables of one lake. It can be sent to another process: tables that are kept open are the process's own.

    What the store does wrong is raised as StoreFailure, wherever it happens.
    """

    def __init__(self, location: StorageLocation) -> None:
        self.location = location
        self._store = store_at(location)

    def scan(self, contract: Contract, partitions: Sequence[Partition], *, version: int | None = None) -> Scanned:
        """Read partitions at one version (default: now): rows lazily, columns exactly as in the contract.

        Raises  ValueError for a partition of another table; deltalake's error for a version that does not exist.
        """
        wanted = self._checked(contract, partitions)
        opened = self._now(contract) if version is None else table_at(self.location, contract, version)
        with opened as table:
            if table is None:
                return Scanned(contract.empty().lazy(), {}, tuple(each.key for each in wanted), None)
            states = partition_states(table, wanted, self._store)
            contents = {f"{contract.table}|{key}": state.content_hash for key, state in states.items()}
            missing = tuple(each.key for each in wanted if each.key not in states)
            return Scanned(table.frame(wanted), contents, missing, table.version)

    def state(self, contract: Contract, partition: Partition) -> PartitionState | None:
        """What stands in a partition now; None if it was never written."""
        checked_partition(contract, partition)
        with self._now(contract) as table:
            return partition_state(table, partition, self._store) if table else None

    def states(self, contract: Contract, partitions: Sequence[Partition]) -> dict[str, PartitionState]:
        """Partition key -> what stands there now, of those that were ever written."""
        wanted = self._checked(contract, partitions)
        with self._now(contract) as table:
            return partition_states(table, wanted, self._store) if table else {}

    def is_current(self, contract: Contract, partition: Partition, provenance: Provenance) -> bool:
        """Whether the partition was made by this code from these inputs: then there is nothing to compute."""
        state = self.state(contract, partition)
        return state is not None and state.input_fingerprint == provenance.fingerprint

    def replace(
        self,
        contract: Contract,
        partition: Partition,
        frame: pl.DataFrame,
        provenance: Provenance,
        *,
        only_after: str | Literal[False] | None = False,
    ) -> Written:
        """Make these rows the partition's content, all or nothing. Same input or same content: no new version.

        Repeating it after any failure is safe. Returns what it came to; an unchanged closed month is no fault.
        `only_after`: the content hash that these rows were added to, None of a partition never written; another one
        that stands there counts as contended, so that nobody's addition is lost.
        Raises  ContractBreach, MonthClosed, Unreproducible, PartitionContended (nothing was written), or
                LakeCorruption (what was read back is not what was written).
        """
        checked_partition(contract, partition)
        _refuse_breaches(contract, partition, frame)
        ordered = in_contract_order(frame, contract)
        content = content_hash(ordered, contract)
        seen: list[str | None] = []

        def attempt() -> Written:
            with table_to_write(self.location, contract, self._store) as table:
                state = partition_state(table, partition, self._store)
                seen.append(state.content_hash if state else None)
                if state is not None and state.content_hash == content:
                    if seen[0] != content and state.input_fingerprint == UNKNOWN:  # our own commit; its answer was lost
                        return self._noted(table, partition, state, provenance, "changed" if seen[0] else "new")
                    return self._unchanged(table, partition, state, provenance)
                if state is not None and state.input_fingerprint == provenance.fingerprint:
                    raise Unreproducible(
                        f"{contract.table} {partition}: the same code and inputs made content "
                        f"{state.content_hash[:12]} before and {content[:12]} now; record every input of the rule in "
                        "its provenance"
                    )
                refuse_closed_month(table, partition)
                if seen[0] != seen[-1] or only_after not in (False, seen[-1]):
                    raise PartitionContended(
                        f"{contract.table} {partition} was replaced by another run while this one wrote: "
                        "compute it again from its present inputs"
                    )
                commit_partition(table, partition, ordered, content=content, provenance=provenance)
                verify_commit(table, partition, self._store, content=content, rows=len(ordered))
                new = write_state(
                    table, partition, self._store, content=content, row_count=len(ordered), provenance=provenance
                )
                return _written(contract, partition, new, "changed" if state else "new")

        return _retried(attempt, f"{contract.table} {partition}")

    def close_month(
        self,
        month: str,
        *,
        by: str,
        certificate_hash: str,
        contracts: Sequence[Contract] = MONTHLY,
        contents: Mapping[str, str] | None = None,
    ) -> None:
        """Close a month on month tables, one after the other; to be repeated if it was cut short.

        `contents` (`table|month` -> content hash), where given, must be what stands there at that very version.
        Raises  ValueError for a month not like 2026-09; LakeRefusal if it is closed under another certificate or the
                content is another; PartitionContended if somebody keeps writing.
        """
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
            raise ValueError(f"month {month!r}: must be like 2026-09")
        for contract in contracts:

            def attempt(contract: Contract = contract) -> None:
                content = (contents or {}).get(f"{contract.table}|{month}")
                with table_to_write(self.location, contract, self._store) as table:
                    close_month_of(
                        table, month, by=by, certificate_hash=certificate_hash, store=self._store, content=content
                    )

            _retried(attempt, f"{contract.table} {month}")

    def closed_months(self, contract: Contract) -> frozenset[str]:
        """The months of a table that may not change any more."""
        with self._now(contract) as table:
            return frozenset(closed_months_of(table)) if table else frozenset()

    def closed_under(self, contract: Contract, month: str) -> str | None:
        """Hash of the certificate that a month of a table was closed under; None if it is open."""
        with self._now(contract) as table:
            return closed_months_of(table).get(month) if table else None

    def _unchanged(
        self, table: OpenTable, partition: Partition, state: PartitionState, provenance: Provenance
    ) -> Written:
        if state.input_fingerprint == provenance.fingerprint:
            return _written(table.contract, partition, state, "unchanged input")
        return self._noted(table, partition, state, provenance, "unchanged content")

    def _noted(
        self, table: OpenTable, partition: Partition, state: PartitionState, provenance: Provenance, reason: Reason
    ) -> Written:
        noted = write_state(
            table, partition, self._store, content=state.content_hash, row_count=state.row_count, provenance=provenance
        )
        return _written(table.contract, partition, noted, reason)

    def _now(self, contract: Contract) -> AbstractContextManager[OpenTable | None]:
        return table_now(self.location, contract, self._store)

    def _checked(self, contract: Contract, partitions: Sequence[Partition]) -> list[Partition]:
        return [checked_partition(contract, each) for each in dict.fromkeys(partitions)]


def _refuse_breaches(contract: Contract, partition: Partition, frame: pl.DataFrame) -> None:
    breaches = contract.breaches(frame) or list(_rows_of_other_partitions(contract, partition, frame))
    if breaches:
        raise ContractBreach(breaches)


def _rows_of_other_partitions(contract: Contract, partition: Partition, frame: pl.DataFrame) -> Iterator[str]:
    for name, value in partition.values:
        strangers = frame.filter(pl.col(name).ne_missing(value))[name]
        if len(strangers):
            yield (
                f"{contract.table}.{name}: {len(strangers)} of {len(frame)} rows are not of partition {partition}, "
                f"the first is of {strangers[0]!r}"
            )


def _written(contract: Contract, partition: Partition, state: PartitionState, reason: Reason) -> Written:
    changed = reason in ("new", "changed")
    return Written(contract.table, partition.key, state.version, state.content_hash, state.row_count, changed, reason)


def _retried(attempt: Callable[[], T], what: str) -> T:
    """Do it again, from a fresh snapshot, while others commit to the same table."""
    retrying = Retrying(
        retry=retry_if_exception_type(CommitFailedError),
        stop=stop_after_attempt(COMMIT_ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.05, max=LONGEST_WAIT_SECONDS),
        reraise=True,
    )
    try:
        return retrying(attempt)
    except CommitFailedError as failure:
        raise PartitionContended(f"{what}: {COMMIT_ATTEMPTS} commits failed, others keep writing: {failure}") from None
