"""One Delta table of the lake: how it is made, opened and read, and which files make up a partition.

Partition values are put into predicates, paths and keys, so they are held to a plain alphabet, and a partition that
does not name every partition column is refused: no predicate is ever wider than one partition. Not here: writing.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import polars as pl
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from resources.lake_records import ContractBreach, LakeCorruption
from resources.object_store import ObjectStore
from resources.storage_location import StorageLocation
from resources.store_failures import StoreSilent, failure_of, was_cut

TABLES = "tables"
ADDRESS = "_address"

TABLE_PROPERTIES = {
    # Auditors go back to last year's versions: files and log outlive a fiscal year and its audit.
    "delta.logRetentionDuration": "interval 400 days",
    "delta.deletedFileRetentionDuration": "interval 400 days",
    # A table is opened far more often than it is read whole, and always by partition: short logs, no column statistics.
    "delta.checkpointInterval": "20",
    "delta.dataSkippingNumIndexedCols": "0",
}

PLAIN_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(slots=True)
class OpenTable:
    """A table at the version that its Delta table is at, with the file listing of that version.

    A commit moves it to the version that it made. What was read from it before stays bound to the files of then.
    """

    contract: Contract
    location: StorageLocation
    delta: DeltaTable
    _files: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict, init=False)
    _listed_version: int | None = field(default=None, init=False)
    _digested: tuple[int, str] = field(default=(-1, ""), init=False)

    @property
    def version(self) -> int:
        """The version that is open."""
        return self.delta.version()

    def files(self, partition: Partition) -> tuple[str, ...]:
        """The files of a partition, as paths below the table, in order; none if it is empty or was never written."""
        if self._listed_version != self.version:
            self._files = _files_by_partition(self.delta, self.contract)
            self._listed_version = self.version
        return self._files.get(tuple(value for _, value in partition.values), ())

    def frame(self, partitions: Sequence[Partition]) -> pl.LazyFrame:
        """The rows of partitions, columns as in the contract, in no promised order. Reads no other partition's files.

        Raises  polars.exceptions.SchemaError when collected, if a file has other columns than the contract.
        """
        origins = [(path, partition) for partition in partitions for path in self.files(partition)]
        if not origins:
            return self.contract.empty().lazy()
        addresses = [self.location.child(TABLES, self.contract.table, path) for path, _ in origins]
        partition_columns = {name: [dict(part.values)[name] for _, part in origins] for name in partitions[0].columns}
        # Not pl.scan_delta: it takes a folder such as env=prod above the lake for a partition column, and fails.
        rows = pl.scan_parquet(
            addresses,
            schema={name: dtype for name, dtype in self.contract.schema.items() if name not in partition_columns},
            include_file_paths=ADDRESS if len(partitions) > 1 else None,
            hive_partitioning=False,
            glob=False,
            storage_options=self.location.delta_options() or None,
            credential_provider=None,
        )
        if len(partitions) == 1:  # asking every row for its file costs more than reading it
            of_all = {name: pl.lit(value[0]) for name, value in partition_columns.items()}
            return rows.with_columns(**of_all).select(self.contract.column_names)
        partition_of = pl.LazyFrame({ADDRESS: addresses} | partition_columns)
        return rows.join(partition_of, on=ADDRESS, how="left", validate="m:1").select(self.contract.column_names)

    def log_entry(self, version: int, store: ObjectStore) -> bytes:
        """What the commit of a version wrote into the log, as it stands there now. Raises ObjectMissing."""
        entry = store.get(f"{TABLES}/{self.contract.table}/_delta_log/{version:020}.json")
        self._digested = version, hashlib.sha256(entry).hexdigest()
        return entry

    def digest_of_its_entry(self, store: ObjectStore) -> str:
        """Hash of the log entry of the open version, which no other table has; read once. Raises ObjectMissing."""
        if self._digested[0] != self.version:
            self.log_entry(self.version, store)
        return self._digested[1]


def open_table(location: StorageLocation, contract: Contract, version: int | None = None) -> OpenTable | None:
    """The table at a version (default: now); None if it does not exist.

    Raises  ContractBreach if it is stored with other columns; LakeCorruption if another tool changed its format.
    """
    address = location.child(TABLES, contract.table)
    try:
        delta = DeltaTable(address, version=version, storage_options=location.delta_options() or None)
    except TableNotFoundError:
        return None
    opened = OpenTable(contract, location, delta)
    refuse_other_table(opened)
    return opened


def refuse_other_table(table: OpenTable) -> None:
    """Raise ContractBreach if it is stored with other columns; LakeCorruption if another tool changed its format."""
    contract, delta = table.contract, table.delta
    if delta.protocol().min_reader_version > 1:
        address = table.location.child(TABLES, contract.table)
        raise LakeCorruption(f"{address}: another tool switched on Delta features that this lake does not use")
    stored = dict(pl.DataFrame(delta.schema().to_arrow().empty_table()).schema)
    if stored != contract.schema:
        differing = sorted(name for name in stored | contract.schema if stored.get(name) != contract.schema.get(name))
        sentence = (
            f"{contract.table}: the lake holds it with other columns than this code's contract, differing in "
            f"{', '.join(differing) or 'their order'}: take another lake, or migrate this one"
        )
        raise ContractBreach([sentence])


def open_or_create_table(location: StorageLocation, contract: Contract) -> OpenTable:
    """The table as it is now, made if it does not exist; safe among several that do so at once.

    A making is tried as version 0 only: repeated by Delta it would be a later version, with the properties of a new
    table, and the months that were closed meanwhile would be open again (lake_closing.py).
    """
    opened = open_table(location, contract)
    if opened is not None:
        return opened
    if not location.is_s3:
        location.directory.joinpath(TABLES).mkdir(parents=True, exist_ok=True)
    try:
        with answers_lost_count_as_failed_commits():
            DeltaTable.create(
                location.child(TABLES, contract.table),
                schema=contract.empty().to_arrow().schema,
                mode="error",
                partition_by=list(contract.partitioned_by),
                name=contract.table,
                description=contract.grain,
                configuration=TABLE_PROPERTIES,
                commit_properties=CommitProperties(max_commit_retries=0),
                storage_options=location.delta_options() or None,
            )
    except DeltaError:
        opened = open_table(location, contract)
        if opened is None:
            raise
        return opened  # somebody else made it first
    created = open_table(location, contract)
    if created is None:
        raise LakeCorruption(f"{contract.table}: the table that was just made is not there")
    return created


@contextmanager
def answers_lost_count_as_failed_commits() -> Iterator[None]:
    """Within it, an answer that was cut, of a put log entry or before it, is raised as CommitFailedError: look again.

    object_store repeats a conditional put after a refusal of the store, never after a cut: nobody knows whether it
    was done. A fresh snapshot tells.
    """
    try:
        yield
    except (DeltaError, OSError) as error:
        if isinstance(failure_of(error, ""), StoreSilent) or was_cut(error):
            raise CommitFailedError("the connection was cut at a commit, which may be done or not") from error
        raise


def checked_partition(contract: Contract, partition: Partition) -> Partition:
    """The partition itself.

    Raises  ValueError unless it names exactly the table's partition columns, in order, with plain values: a predicate
    built from anything less could reach rows of other partitions.
    """
    if partition.columns != contract.partitioned_by:
        raise ValueError(
            f"{contract.table} is partitioned by {', '.join(contract.partitioned_by)}; "
            f"{partition} names {', '.join(partition.columns) or 'nothing'}"
        )
    for name, value in partition.values:
        if not PLAIN_VALUE.fullmatch(value):
            raise ValueError(
                f"{contract.table}: {name} {value!r} cannot be a partition; "
                "use letters, digits, '.', '_' and '-', beginning with a letter or digit"
            )
    return partition


def predicate_of(contract: Contract, partition: Partition) -> str:
    """The rows of exactly this partition, in SQL. Raises ValueError as checked_partition."""
    values = checked_partition(contract, partition).values
    return " AND ".join(f"{name} = '{value}'" for name, value in values)


def _files_by_partition(delta: DeltaTable, contract: Contract) -> dict[tuple[str, ...], tuple[str, ...]]:
    listing = pl.DataFrame(delta.get_add_actions(flatten=True))
    if listing.is_empty():
        return {}
    columns = [f"partition.{name}" for name in contract.partitioned_by]
    grouped = listing.group_by(columns).agg(pl.col("path").sort())
    return {row[:-1]: tuple(row[-1]) for row in grouped.iter_rows()}
