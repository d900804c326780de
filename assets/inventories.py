"""The GPUs that a day's records say there are, whichever scheduler keeps them."""

from collections.abc import Iterable

import polars as pl

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.inventory import inventory_of
from chargeback.usage.kubernetes_inventory import kubernetes_inventory_of
from resources.settings import Settings

INVENTORY_TABLES = (RAW_NODES, RAW_KUBERNETES_NODES, RAW_SLICES)


def inventory_of_tables(tables: Iterable[pl.LazyFrame], settings: Settings) -> pl.DataFrame:
    """INVENTORY of a (cluster, day), out of INVENTORY_TABLES; those of the other scheduler are empty."""
    raw_nodes, raw_kubernetes_nodes, raw_slices = (table.collect() for table in tables)
    aliases = settings.accelerators
    of_kubernetes = kubernetes_inventory_of(raw_kubernetes_nodes, aliases=aliases, raw_slices=raw_slices)
    return pl.concat([inventory_of(raw_nodes, aliases=aliases), of_kubernetes])
