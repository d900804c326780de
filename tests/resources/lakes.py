"""A small lake for tests: frames of two real contracts, provenance, and writers that run in processes of their own."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import polars as pl

from chargeback.contracts.contract import MONEY, PRICE, Column, Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from resources.lake import Lake
from resources.lake_records import LakeRefusal, Provenance
from resources.storage_location import StorageLocation

MIDNIGHT = datetime(2026, 10, 5, tzinfo=UTC)

AMOUNTS = Contract(
    table="amounts",
    grain="one row per line of a month",
    key=("month", "line"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        Column("month", pl.String(), "billing month"),
        Column("line", pl.String(), "line"),
        Column("amount", MONEY, "amount", "currency", nullable=True),
        Column("price", PRICE, "price", "currency per hour", nullable=True),
    ),
    checks=(),
)


def day(day: str = "2026-10-05", cluster: str = "slurm-a") -> Partition:
    return Partition.of_day(cluster, day)


def holds(partition: Partition, *, rows: int = 3, gpus: int = 8) -> pl.DataFrame:
    """Holds of a day: one an hour."""
    values = dict(partition.values)
    starts = [MIDNIGHT + timedelta(hours=n) for n in range(rows)]
    return HOLDS.empty().vstack(
        pl.DataFrame(
            {
                **{name: [value] * rows for name, value in values.items()},
                "run": [f"{4711 + n}@{start:%Y-%m-%dT%H:%M:%SZ}" for n, start in enumerate(starts)],
                "host": ["gpu01"] * rows,
                "accelerator": ["h100-sxm5-80gb"] * rows,
                "sharing": ["whole"] * rows,
                "held_from": starts,
                "held_until": [start + timedelta(hours=1) for start in starts],
                "device_count": [gpus] * rows,
                "share_units": [1] * rows,
                "units_per_gpu": [1] * rows,
                "slice_profile": [""] * rows,
                "split": ["one host"] * rows,
                "is_running": [False] * rows,
            },
            schema=HOLDS.schema,
        )
    )


def amounts(month: str, **lines: str | None) -> pl.DataFrame:
    """Lines of a month with their amounts."""
    cells = [None if amount is None else Decimal(amount) for amount in lines.values()]
    rows = {"month": [month] * len(lines), "line": list(lines), "amount": cells, "price": cells}
    return pl.DataFrame(rows, schema=AMOUNTS.schema)


def made_from(inputs: str, *, run: str = "run-1", code: str = "code-1") -> Provenance:
    """Provenance from one input with this content."""
    return Provenance(run_id=run, code_version=code, inputs={"raw_sacct|slurm-a|2026-10-05": inputs})


def read(lake: Lake, *partitions: Partition) -> pl.DataFrame:
    """The holds that stand in partitions."""
    return lake.scan(HOLDS, partitions).frame.collect()


def write_same_day(location: StorageLocation, writer: int) -> str:
    """Write other content to the one same partition; says how it went."""
    try:
        return Lake(location).replace(HOLDS, day(), holds(day(), gpus=writer + 1), made_from(f"input {writer}")).reason
    except LakeRefusal as refusal:
        return f"{type(refusal).__name__}: {refusal}"
