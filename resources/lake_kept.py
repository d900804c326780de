"""Tables kept open in a process: brought up to date by the commits since, instead of being opened anew each time.

Opening reads the log back to its last checkpoint, some 25 requests to S3; what was committed since is two or three.
Whoever works with a table has it alone: a second thread opens another. After any error it is not kept. A table that was
taken away and made anew is noticed by the log entry of the version that was open, one opened with credentials that are
renewed since by a digest of them: both are opened anew. Not here: what is done with a table (lake.py).
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from deltalake.exceptions import DeltaError
from polars.exceptions import PolarsError
from tenacity import Retrying, retry_if_exception, stop_after_attempt

from chargeback.contracts.contract import Contract
from resources.lake_table import TABLES, OpenTable, open_or_create_table, open_table, refuse_other_table
from resources.object_store import ObjectMissing, ObjectStore
from resources.storage_location import StorageLocation
from resources.store_failures import StoreFailure, failure_of, store_failures_named, was_cut

MOST_KEPT = 64
"""More than a lake has tables."""

OPENINGS = 5

Key = tuple[StorageLocation, str]
Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A table as it was left, with what tells whether it can be used again."""

    table: OpenTable
    version: int
    entry_digest: str
    options_digest: str


_kept: OrderedDict[Key, _Kept] = OrderedDict()
_lock = threading.Lock()


@contextmanager
def table_now(location: StorageLocation, contract: Contract, store: ObjectStore) -> Iterator[OpenTable | None]:
    """The table as it is now; None if it does not exist. Raises as open_table, and StoreFailure."""
    with _alone_with(location, contract, store, lambda: open_table(location, contract)) as table:
        yield table


@contextmanager
def table_to_write(location: StorageLocation, contract: Contract, store: ObjectStore) -> Iterator[OpenTable]:
    """The table as it is now, made if it does not exist. Raises as open_or_create_table, and StoreFailure."""
    with _alone_with(location, contract, store, lambda: open_or_create_table(location, contract)) as table:
        yield table


@contextmanager
def table_at(location: StorageLocation, contract: Contract, version: int) -> Iterator[OpenTable | None]:
    """The table at a version, never kept. Raises as open_table, and StoreFailure."""
    with store_failures_named(location.told(TABLES, contract.table), DeltaError, PolarsError):
        yield open_table(location, contract, version)


@contextmanager
def _alone_with(
    location: StorageLocation, contract: Contract, store: ObjectStore, opened_anew: Callable[[], Opened]
) -> Iterator[OpenTable | Opened]:
    with store_failures_named(location.told(TABLES, contract.table), DeltaError, PolarsError):
        key, digest = (location, contract.table), _digest_of(location.delta_options())
        kept = _taken(key)
        can_be_used = kept is not None and kept.options_digest == digest and kept.table.contract == contract
        table = _brought_up_to_date(kept, store) if kept is not None and can_be_used else None
        opened = table if table is not None else _asked_again(opened_anew)
        yield opened
        if isinstance(opened, OpenTable):
            _keep(key, opened, digest, store)


def _asked_again(opened_anew: Callable[[], Opened]) -> Opened:
    """Open it, and again if an answer was cut."""
    retrying = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, DeltaError | OSError) and was_cut(error)),
        stop=stop_after_attempt(OPENINGS),
        reraise=True,
    )
    return retrying(opened_anew)


def _brought_up_to_date(kept: _Kept, store: ObjectStore) -> OpenTable | None:
    """The table as it is now; None if it has to be opened anew, which says what is wrong if anything is."""
    table = kept.table
    try:
        table.delta.update_incremental()
        if hashlib.sha256(table.log_entry(kept.version, store)).hexdigest() != kept.entry_digest:
            return None
    except ObjectMissing:
        return None
    except (DeltaError, OSError) as error:
        if failure_of(error, "") is not None and not was_cut(error):
            raise
        return None
    if table.version != kept.version:
        refuse_other_table(table)
    return table


def _taken(key: Key) -> _Kept | None:
    with _lock:
        return _kept.pop(key, None)


def _keep(key: Key, table: OpenTable, options_digest: str, store: ObjectStore) -> None:
    try:
        kept = _Kept(table, table.version, table.digest_of_its_entry(store), options_digest)
    except (ObjectMissing, StoreFailure):  # what was done is done; the table is opened anew next time
        return
    with _lock:
        _kept[key] = kept
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)


def _digest_of(options: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
