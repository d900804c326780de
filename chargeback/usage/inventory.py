"""The GPUs that the node records say there are: per host and accelerator, slices counted as the GPUs behind them.

Not here: what is held of them or out of service (capacity.py).
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from chargeback.usage.gres import ConfiguredGres, parse_configured_tres, parse_gres
from chargeback.usage.mig import Slice, parse_slice

INVENTORY = {
    "host": pl.String(),
    "accelerator": pl.String(),
    "units_per_gpu": pl.Int64(),
    "capacity_units": pl.Int64(),
    "remainder_units": pl.Int64(),
}
"""One row per host and accelerator: GPUs x units_per_gpu, and how much of that no slice of the geometry uses."""

UNTYPED = "untyped"


def configured_gres(gres: str | None, configured_tres: str | None) -> tuple[ConfiguredGres, ...]:
    """What a node record configures: its Gres text, else gres/gpu of its CfgTRES. Raises ValueError if unreadable."""
    return parse_gres(gres) or parse_configured_tres(configured_tres)


def inventory_of(raw_nodes: pl.DataFrame, *, aliases: Mapping[str, str]) -> pl.DataFrame:
    """Count the GPUs of every node record.

    Input:   contracts.raw_nodes of one day; `aliases` maps lower-cased gres types to accelerators.
    Output:  INVENTORY, sorted. Whole GPUs count one each. Shards and MPS are carved from the GPUs beside them, so they
             only make the units finer (least common multiple). GPUs behind MIG slices = the larger of compute and
             memory slices over those of one GPU, rounded up; the compute slices that no configured slice uses are the
             remainder, on the row of the largest profile. Hosts without GPUs have no row.
    Source:  design.md 2 "share", "blocked"; 5.4.
    """
    rows = [
        (node["NodeName"], *row)
        for node in raw_nodes.select("NodeName", "Gres", "CfgTRES").unique().iter_rows(named=True)
        for row in _rows_of_node(configured_gres(node["Gres"], node["CfgTRES"]), aliases)
    ]
    return pl.DataFrame(rows, schema=INVENTORY, orient="row").sort("host", "accelerator")


def _rows_of_node(
    configured: Sequence[ConfiguredGres], aliases: Mapping[str, str]
) -> Iterator[tuple[str, int, int, int]]:
    """accelerator, units_per_gpu, capacity_units and remainder_units of one node."""
    whole: dict[str, int] = defaultdict(int)
    slices: dict[str, list[tuple[Slice, int]]] = defaultdict(list)
    for gres in configured:
        cut = parse_slice(gres.type)
        if gres.kind == "gpu" and cut is None:
            whole[accelerator_of(gres.type, aliases=aliases)] += gres.count
        elif gres.kind == "gpu" and cut is not None:
            slices[cut.base].append((cut, gres.count))
    finer = _units_of_shares(configured, gpus=sum(whole.values()))
    for accelerator, gpus in whole.items():
        if gpus:
            yield accelerator, finer, gpus * finer, 0
    for cut_alike in slices.values():
        yield from _rows_of_slices(cut_alike, aliases)


def _units_of_shares(configured: Sequence[ConfiguredGres], *, gpus: int) -> int:
    """The units that shards and MPS of a node divide each of its GPUs into; 1 where they do not divide evenly."""
    shares = [gres.count // gpus for gres in configured if gres.kind != "gpu" and gpus and gres.count % gpus == 0]
    return math.lcm(*[share for share in shares if share])


def _rows_of_slices(
    cut_alike: Sequence[tuple[Slice, int]], aliases: Mapping[str, str]
) -> Iterator[tuple[str, int, int, int]]:
    """Rows of the slices that are cut from one type of GPU."""
    for cut, units, capacity_units, remainder_units in gpus_behind_slices(cut_alike):
        accelerator = accelerator_of(f"{cut.base}_{cut.profile}" if cut.base else cut.profile, aliases=aliases)
        yield accelerator, units, capacity_units, remainder_units


def gpus_behind_slices(cut_alike: Sequence[tuple[Slice, int]]) -> Iterator[tuple[Slice, int, int, int]]:
    """slice, units_per_gpu, capacity_units and remainder_units of slices (with their counts) of one type of GPU.

    The units of the rows add up to those of the GPUs behind them; the remainder stands with the largest profile.
    """
    units = cut_alike[0][0].geometry.compute_slices
    compute = sum(cut.compute_slices * count for cut, count in cut_alike)
    memory = sum(cut.memory_slices * count for cut, count in cut_alike)
    gpus = max(-(-compute // units), -(-memory // cut_alike[0][0].geometry.memory_slices))
    by_size = sorted(cut_alike, key=lambda entry: (-entry[0].compute_slices, entry[0].profile))
    for at, (cut, count) in enumerate(by_size):
        remainder = gpus * units - compute if at == 0 else 0
        if count:
            yield cut, units, cut.compute_slices * count + remainder, remainder


def accelerator_of(gres_type: str, *, aliases: Mapping[str, str]) -> str:
    """The accelerator that a gres type is priced as: `h100` -> `h100-sxm5-80gb`, `a100_3g.40gb` -> `a100-...:3g.40gb`.

    A type without an alias stays as it is, lower-cased; no type is `untyped`, which may have an alias too.
    """
    name = gres_type.lower() or UNTYPED
    cut = parse_slice(name)
    if name not in aliases and cut is not None and cut.base in aliases:
        return f"{aliases[cut.base]}:{cut.profile}"
    return aliases.get(name, name)
