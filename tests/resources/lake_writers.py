"""Writers for processes of their own, that write one table again and again. Not here: what is expected of them."""

from collections.abc import Sequence
from multiprocessing.connection import Connection

from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.lake_records import PartitionContended
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, holds, made_from


def write_own_partition(location: StorageLocation, writer: int, turns: int) -> list[tuple[str, str]]:
    """Write one partition again and again, other rows each turn; (reason, content hash) as told each time."""
    lake, partition = Lake(location), day(cluster=f"slurm-{writer}")
    told = []
    for turn in range(1, turns + 1):
        written = lake.replace(HOLDS, partition, holds(partition, gpus=turn), made_from(f"{writer}/{turn}"))
        told.append((written.reason, written.content_hash))
    return told


def write_shared_partition(location: StorageLocation, writer: int, turns: int) -> list[tuple[str, str]]:
    """Write the one same partition again and again; ("contended", "") where the lake stopped the writer."""
    lake = Lake(location)
    told = []
    for turn in range(turns):
        rows = holds(day(), gpus=1 + writer + 2 * turn)
        try:
            written = lake.replace(HOLDS, day(), rows, made_from(f"{writer}/{turn}"))
        except PartitionContended:
            told.append(("contended", ""))
        else:
            told.append((written.reason, written.content_hash))
    return told


def write_generation(location: StorageLocation, days: Sequence[str], generation: int, says: Connection) -> None:
    """Write days one after the other, as a run does; says when it begins."""
    lake = Lake(location)
    says.send("begins")
    for each in days:
        lake.replace(HOLDS, day(each), holds(day(each), gpus=generation), made_from(f"generation {generation}"))
