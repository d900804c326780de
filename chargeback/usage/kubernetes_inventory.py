"""The GPUs that Kubernetes node records say there are: per host and accelerator, and from when until when.

Not here: what one record says (kubernetes_node_gpus.py), what is held of it or out of service (capacity.py).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.accelerators import accelerator_of_product, slice_accelerator, slug_of_product, split_product
from chargeback.usage.inventory import INVENTORY, gpus_behind_slices
from chargeback.usage.kubernetes_node_gpus import NodeGpus, nodes_with_gpus
from chargeback.usage.mig import Slice, parse_slice

_ROW = ("accelerator", "units_per_gpu", "capacity_units", "remainder_units")
Row = tuple[str, int, int, int, int]


def kubernetes_inventory_of(
    raw_kubernetes_nodes: pl.DataFrame, *, aliases: Mapping[str, str], raw_slices: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Count the GPUs of every node record of the day: the largest statement of each host and accelerator.

    Input:   contracts.raw_kubernetes_nodes of one day; `aliases` maps lower-cased products to accelerators; devices of
             contracts.raw_slices count where no node record names their accelerator on the host.
    Output:  usage/inventory.py INVENTORY, sorted. GPUs are the label nvidia.com/gpu.count, else capacity over replicas;
             the units fit the replicas. GPUs behind MIG slices as in inventory.py.
    Source:  design.md 2 "share", "blocked"; 5.4.
    """
    stated = _stated(raw_kubernetes_nodes, aliases)
    gpus = pl.col("capacity_units") / pl.col("units_per_gpu")
    largest = stated.sort(gpus, "units_per_gpu", descending=True).unique(
        ("host", "accelerator"), keep="first", maintain_order=True
    )
    published = _published(raw_slices, aliases) if raw_slices is not None else pl.DataFrame(schema=INVENTORY)
    unnamed = published.join(largest, on=["host", "accelerator"], how="anti")
    return pl.concat([largest.select(INVENTORY.keys()), unnamed]).sort("host", "accelerator")


def kubernetes_inventory_over_time(
    raw_kubernetes_nodes: pl.DataFrame, raw_slices: pl.DataFrame, *, aliases: Mapping[str, str], interval: Interval
) -> pl.DataFrame:
    """INVENTORY with `unfit_units`, and `from` and `until` in seconds of the day, as the node records' stretches say.

    `unfit_units`: of the capacity, what the kubelet gives to nobody. Devices that only ResourceSlices publish are there
    while a node record of their host is, without one all day.
    """
    stretches = raw_kubernetes_nodes.select(
        (pl.col("statedFrom") - interval.start).dt.total_seconds().alias("from"),
        (pl.col("statedUntil") - interval.start).dt.total_seconds().alias("until"),
        host="name",
    )
    by_record = _stated(raw_kubernetes_nodes, aliases).with_columns(
        (pl.col("stated_from") - interval.start).dt.total_seconds().alias("from"),
        (pl.col("stated_until") - interval.start).dt.total_seconds().alias("until"),
    )
    unnamed = _published(raw_slices, aliases).join(by_record, on=["host", "accelerator"], how="anti")
    published = unnamed.join(stretches, on="host", how="left", validate="m:m").with_columns(
        pl.col("from").fill_null(0),
        pl.col("until").fill_null(interval.seconds),
        unfit_units=pl.lit(0, pl.Int64),
    )
    columns = [*INVENTORY, "unfit_units", "from", "until"]
    return pl.concat([by_record.select(columns), published.select(columns)]).filter(pl.col("from") < pl.col("until"))


def _stated(raw_kubernetes_nodes: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    """INVENTORY of every node record, with unfit_units, stated_from and stated_until."""
    nodes, kinds = nodes_with_gpus(raw_kubernetes_nodes)
    rows = [(number, *row) for number, gpus in enumerate(kinds) for row in _rows_of_node(gpus, aliases)]
    schema = {"node_gpus": pl.Int64(), **{name: INVENTORY[name] for name in _ROW}, "unfit_units": pl.Int64()}
    counted = pl.DataFrame(rows, schema=schema, orient="row")
    return nodes.join(counted, on="node_gpus", how="inner", validate="m:m").select(
        *_ROW, "unfit_units", host="name", stated_from="statedFrom", stated_until="statedUntil"
    )


def _rows_of_node(node: NodeGpus, aliases: Mapping[str, str]) -> Iterator[Row]:
    """accelerator, units_per_gpu, capacity_units, remainder_units and unfit_units of one kind of node."""
    if node.gpus:
        replicas, accelerator = node.replicas or 1, accelerator_of_product(node.product, aliases=aliases)[0]
        yield accelerator, replicas, node.gpus * replicas, 0, node.unfit * replicas
    replicated = dict(node.mig_replicas) | ({node.profile: node.replicas or 1} if node.profile else {})
    cut = [(_cut(node.product, profile), count) for profile, count in node.slices]
    readable = [(each, count) for each, count in cut if each is not None]
    for each, units, capacity, remainder in gpus_behind_slices(readable) if readable else ():
        replicas = replicated.get(each.profile, 1)
        accelerator = slice_accelerator(node.product, each.profile, aliases=aliases)
        unfit = node.unfit * each.compute_slices if node.profile else 0
        yield accelerator, units * replicas, capacity * replicas, remainder * replicas, unfit * replicas


def _published(raw_slices: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    """INVENTORY of the GPUs and slices that DRA drivers publish; a slice of a GPU that is published too is that GPU."""
    devices = raw_slices.filter(pl.col("driver").str.contains("gpu"), pl.col("nodeName").is_not_null())
    gpus = devices.filter(pl.col("profile").is_null())
    slices = devices.filter(pl.col("profile").is_not_null()).join(
        gpus.select(parentUUID="uuid"), on="parentUUID", how="anti"
    )
    rows: list[tuple[str, str, int, int, int]] = []
    for host, product, count in gpus.group_by("nodeName", "productName").len().rows():
        rows.append((host, accelerator_of_product(product, aliases=aliases)[0], 1, count, 0))
    cut_alike: dict[tuple[str, str | None], list[tuple[Slice, int]]] = defaultdict(list)
    for host, product, profile, count in slices.group_by("nodeName", "productName", "profile").len().rows():
        cut = _cut(product, profile)
        if cut is not None:
            cut_alike[host, product].append((cut, count))
    for (host, product), cuts in cut_alike.items():
        rows += [
            (host, slice_accelerator(product, cut.profile, aliases=aliases), units, capacity, remainder)
            for cut, units, capacity, remainder in gpus_behind_slices(cuts)
        ]
    summed = pl.DataFrame(rows, schema=INVENTORY, orient="row").group_by("host", "accelerator", "units_per_gpu")
    return summed.agg(pl.col("capacity_units", "remainder_units").sum()).select(INVENTORY.keys())


def _cut(product: str | None, profile: str) -> Slice | None:
    base, _ = split_product(product)
    return parse_slice(f"{slug_of_product(base)}_{profile}" if base else profile)
