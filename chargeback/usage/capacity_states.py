"""Which state each unit of a stretch of time is in: one state for each, by precedence, adding up to the capacity.

Not here: where the levels come from (capacity.py, host_sets.py).
"""

import polars as pl

from chargeback.contracts.capacity import STATES

AFTER_HELD = STATES[1:-1]
"""States that claim what is not held, in order of precedence; what none of them claims is unallocated."""


def share_out(stretches: pl.DataFrame) -> pl.DataFrame:
    """Give every unit of capacity the first state that claims it.

    Input:   `capacity`, `held` and one column per state of AFTER_HELD: how many units that state would claim.
    Output:  the same columns: held is at most the capacity, each later state at most what the earlier ones left; plus
             `unallocated`, the rest, and `overcommitted`, what was held beyond the capacity, which is no state.
    Source:  design.md 5.4.
    """
    held = pl.min_horizontal("held", "capacity")
    shared = stretches.with_columns(
        held=held, overcommitted=pl.col("held") - held, unallocated=pl.col("capacity") - held
    )
    for state in AFTER_HELD:
        claimed = pl.min_horizontal(state, "unallocated")
        shared = shared.with_columns(claimed.alias(state), unallocated=pl.col("unallocated") - claimed)
    return shared
