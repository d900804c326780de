"""What the platform itself ran, burn-in and health checks, as texts of the estate's page: shown, charged to nobody.

Not here: how it is known (pricing/platform_operations.py).
"""

import polars as pl

from chargeback.contracts.names import PLATFORM_OPERATIONS
from chargeback.ledger.plain_numbers import hours_text
from chargeback.ledger.statement_document import Document
from chargeback.ledger.usage_sums import held_by, largest_first, total

OPERATIONS_ROWS = 20
_RUNS_OF = ("cluster", "account")


def without_operations(rated: pl.LazyFrame) -> pl.LazyFrame:
    """The rows of contracts.rated_usage that somebody is asked to pay, or would be."""
    return rated.filter(pl.col("kind") != PLATFORM_OPERATIONS)


def operations_parts(rated: pl.LazyFrame, *, limit: int = OPERATIONS_ROWS) -> Document:
    """GPU-hours that the platform's own runs held, by cluster and account, the largest first."""
    own = rated.filter(pl.col("kind") == PLATFORM_OPERATIONS).collect(engine="streaming")
    rows = largest_first(held_by(own, *_RUNS_OF))
    keys = [pl.col(name).fill_null("") for name in _RUNS_OF]
    counts: dict[tuple[str, ...], int] = {(cluster, account): count for cluster, account, count in
              own.group_by(*keys).agg(pl.col("run").n_unique()).iter_rows()}  # fmt: skip
    return {
        "hours": hours_text(total(dict(rows)).gpu_seconds),
        "count": len(rows),
        "rows": [
            {"cluster": key[0], "account": key[1] or "(no account)", "run_count": counts[key],
             "hours": hours_text(held.gpu_seconds)}
            for key, held in rows[:limit]
        ],
    }  # fmt: skip
