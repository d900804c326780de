"""Which claims become bindings: the strongest evidence first, no more GPUs than a hold has, no GPU held whole by two.

Not here: where claims come from (binding_evidence.py, pod_evidence.py).
"""

from dataclasses import dataclass

import polars as pl

from chargeback.usage.binding_evidence import EXCLUSIVE
from chargeback.usage.device_ids import uuid_of_gpu

TAKEN = pl.Schema({"hold": pl.UInt32(), "gpu": pl.String(), "rank": pl.Int64(), "devices": pl.Int64()})


@dataclass(frozen=True, slots=True)
class Settled:
    """`bound`: TAKEN, the GPUs that holds have; `contested`: TAKEN, those that two claim alike and neither has."""

    bound: pl.DataFrame
    contested: pl.DataFrame


def settle(holds: pl.DataFrame, claims: pl.DataFrame) -> Settled:
    """Decide which hold has which GPU.

    Input:   holds with `hold`, `sharing`, `device_count`, `held_from`, `held_until`; CLAIMS in any order.
    Output:  of each hold at most device_count devices. Stronger evidence is settled first; of claims of one kind beyond
             the count those stand that labels bore out longest, then those first by name. A GPU or slice that one hold
             has to itself goes to the strongest claim of those that overlap in time; where two are equally strong,
             neither has it, and nobody weaker.
    """
    spells = holds.select("hold", "sharing", "device_count", "held_from", "held_until")
    each = claims.group_by("hold", "gpu", "rank").agg(
        pl.col("devices").max(), pl.col("overlap_seconds").sum(), count=pl.len()
    )
    bound, contested = pl.DataFrame(schema=TAKEN), pl.DataFrame(schema=TAKEN)
    for rank in sorted(each["rank"].unique()):
        taken = _with_spells(pl.concat([bound, contested]), spells)
        open_claims = _with_spells(each.filter(pl.col("rank") == rank), spells)
        free = open_claims.join(taken, on=["hold", "gpu"], how="anti")
        free = free.join(_overlapping(free, taken), on=["hold", "gpu"], how="anti")
        chosen = _up_to_the_count(free, bound)
        clashing = chosen.join(_overlapping(chosen, chosen), on=["hold", "gpu"], how="semi").select(TAKEN.names())
        contested = pl.concat([contested, clashing])
        bound = pl.concat([bound, chosen.select(TAKEN.names()).join(clashing, on=["hold", "gpu"], how="anti")])
    return Settled(bound, contested)


def doubly_bound(bindings: pl.DataFrame) -> pl.DataFrame:
    """hold (number of the row) and gpu of contracts.bindings whose device another hold has too at that time."""
    rows = bindings.with_row_index("hold").with_columns(uuid=uuid_of_gpu(pl.col("gpu")))
    return _overlapping(rows, rows).sort("hold")


def _with_spells(claims: pl.DataFrame, spells: pl.DataFrame) -> pl.DataFrame:
    return claims.join(spells, on="hold", how="inner", validate="m:1").with_columns(uuid=uuid_of_gpu(pl.col("gpu")))


def _overlapping(claims: pl.DataFrame, taken: pl.DataFrame) -> pl.DataFrame:
    """hold and gpu of claims whose device another hold has taken at an overlapping time, one of the two to itself.

    A GPU and a slice of it are one device; two slices are two.
    """
    others = taken.select("uuid", "sharing", "hold", "gpu", "held_from", "held_until")
    pairs = claims.join(others, on="uuid", how="inner", validate="m:m", suffix="_other")
    same_device = (pl.col("gpu") == pl.col("gpu_other")) | (pl.col("gpu") == pl.col("uuid"))
    same_device |= pl.col("gpu_other") == pl.col("uuid")
    return (
        pairs.filter(
            pl.col("hold") != pl.col("hold_other"),
            pl.col("held_from") < pl.col("held_until_other"),
            pl.col("held_from_other") < pl.col("held_until"),
            pl.col("sharing").is_in(EXCLUSIVE) | pl.col("sharing_other").is_in(EXCLUSIVE),
            same_device,
        )
        .select("hold", "gpu")
        .unique()
    )


def _up_to_the_count(free: pl.DataFrame, bound: pl.DataFrame) -> pl.DataFrame:
    """The claims of one kind that fit into what is left of each hold.

    Shards and MPS parts are counted in parts of a GPU: where their only GPU is named, all of them lie on it; where
    several are, without how many on each, nothing is known.
    """
    had = bound.group_by("hold").agg(had=pl.col("devices").sum())
    in_parts = pl.col("sharing").is_in(("shard", "mps"))
    alone = pl.len().over("hold") == 1
    devices = (
        pl.when(pl.col("devices").is_not_null())
        .then("devices")
        .when(~in_parts)
        .then(1)
        .when(alone)
        .then(pl.col("left"))
    )
    in_order = (
        free.join(had, on="hold", how="left", validate="m:1")
        .with_columns(left=pl.col("device_count") - pl.col("had").fill_null(0))
        .with_columns(devices=devices)
        .drop_nulls("devices")
        .sort("hold", -pl.col("overlap_seconds"), "gpu")
    )
    return in_order.filter(pl.col("devices").cum_sum().over("hold") <= pl.col("left"))
