"""The GPUs that a day's node records say there are, whichever scheduler keeps them."""

from collections.abc import Iterable

import polars as pl

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.inventory import inventory_of
from resources.settings import Settings

NODE_TABLES = (RAW_NODES, RAW_KUBERNETES_NODES)


def inventory_of_nodes(nodes: Iterable[pl.LazyFrame], settings: Settings) -> pl.DataFrame:
    """INVENTORY of a (cluster, day), out of NODE_TABLES; the table of the other scheduler is empty."""
    raw_nodes, _ = nodes
    return inventory_of(raw_nodes.collect(), aliases=settings.accelerators)
