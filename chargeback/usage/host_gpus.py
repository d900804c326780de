"""What the node records say of each host's GPUs, as the rules of runs and holds ask for it.

Not here: capacity (inventory.py).
"""

from fractions import Fraction

import polars as pl

from chargeback.usage.gres import ConfiguredGres
from chargeback.usage.inventory import configured_gres
from chargeback.usage.mig import parse_slice

HOST_GPUS = {
    "host": pl.String(),
    "gpus": pl.Int64(),
    "gpu_type": pl.String(),
    "whole_type": pl.String(),
    "gpus_per_shard": pl.String(),
    "gpus_per_mps": pl.String(),
}
"""One row per host with a node record. `gpus`: GPUs and slices configured. `gpu_type`: its one gres type, `whole_type`:
its one type of whole GPUs, null if there are none or several. `gpus_per_shard`: `1/80`; null without shards or GPUs."""

CONFIGURED = {"host": pl.String(), "gpu_type": pl.String(), "configured": pl.Int64()}
"""One row per host and gres type of kind gpu."""


def gpus_of_hosts(raw_nodes: pl.DataFrame) -> pl.DataFrame:
    """HOST_GPUS of every node record of the day, sorted by host."""
    rows = [(host, *_row_of(configured)) for host, configured in _nodes(raw_nodes)]
    return pl.DataFrame(rows, schema=HOST_GPUS, orient="row").sort("host")


def configured_gpus(raw_nodes: pl.DataFrame) -> pl.DataFrame:
    """CONFIGURED of every node record of the day; hosts without GPUs have no row."""
    rows = [
        (host, gres.type, gres.count)
        for host, configured in _nodes(raw_nodes)
        for gres in configured
        if gres.kind == "gpu" and gres.count
    ]
    frame = pl.DataFrame(rows, schema=CONFIGURED, orient="row")
    return frame.group_by("host", "gpu_type").agg(pl.col("configured").sum()).sort("host", "gpu_type")


def _nodes(raw_nodes: pl.DataFrame) -> list[tuple[str, tuple[ConfiguredGres, ...]]]:
    return [
        (host, configured_gres(gres, tres))
        for host, gres, tres in raw_nodes.select("NodeName", "Gres", "CfgTRES").rows()
    ]


def _row_of(configured: tuple[ConfiguredGres, ...]) -> tuple[int, str | None, str | None, str | None, str | None]:
    gpus = [gres for gres in configured if gres.kind == "gpu" and gres.count]
    whole = [gres for gres in gpus if parse_slice(gres.type) is None]
    counts = {kind: sum(gres.count for gres in configured if gres.kind == kind) for kind in ("shard", "mps")}
    whole_count = sum(gres.count for gres in whole)
    return (
        sum(gres.count for gres in gpus),
        _only(gpus),
        _only(whole),
        _ratio(whole_count, counts["shard"]),
        _ratio(whole_count, counts["mps"]),
    )


def _only(gpus: list[ConfiguredGres]) -> str | None:
    types = {gres.type for gres in gpus}
    return next(iter(types)) if len(types) == 1 else None


def _ratio(gpus: int, parts: int) -> str | None:
    return "{}/{}".format(*Fraction(gpus, parts).as_integer_ratio()) if gpus and parts else None
