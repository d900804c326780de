"""Checks of raw_nodes."""

import polars as pl

from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.gres import parse_gres
from checks.gate import Check, Outcome, Reading, findings_of


def unreadable_gres(reading: Reading) -> Outcome:
    """Nodes whose configured resources name a GPU that cannot be read."""
    rows = reading.table(RAW_NODES).collect().filter(pl.col("Gres").str.contains("gpu|shard|mps"))
    unread = []
    for name, gres in rows.select("NodeName", "Gres").iter_rows():
        try:
            parse_gres(gres)
        except ValueError as fault:
            unread.append((name, "gpu:TYPE:COUNT", str(fault)))
    return Outcome(findings_of(unread), {"gpu_nodes": len(rows)})


CHECKS = (
    Check("raw_nodes_readable", RAW_NODES, "The GPUs of every node can be read from its record.", unreadable_gres,
          stops="run"),
)  # fmt: skip
