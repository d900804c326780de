"""The day fold: of many observations of one fact, the one that counts, so that re-landing changes no byte.

Not here: which columns are facts of a day; the caller cuts them to the day before it folds.
"""

from collections.abc import Sequence

import polars as pl

PLACE = ("extracted_at", "object", "line")


def fold_observations(
    observations: pl.DataFrame,
    *,
    key: Sequence[str],
    facts: Sequence[str],
    final: pl.Expr | None,
) -> pl.DataFrame:
    """Keep one observation of every natural key: the earliest that says what the one that counts says.

    Input:   one row per observation, with `extracted_at`, `object` and `line`; `facts` are columns already cut to the
             day. Nulls in `key` count as a value.
    Output:  same columns, one row per key, sorted by key. The last observation counts (a final state outranks one that
             is not, then extracted_at, object, line); among the trailing observations whose facts equal its facts the
             earliest is kept. So the result depends only on the set of observations, never on their order.
    Source:  design.md 4, "Landing key" and "Partitions".
    """
    is_final = pl.lit(False) if final is None else final.fill_null(False)
    keys = list(key)
    ordered = observations.with_columns(_final=is_final).sort([*keys, "_final", *PLACE]).with_row_index("_at")
    of_one_key = pl.all_horizontal(pl.lit(True), *(pl.col(name).eq_missing(pl.col(name).shift(-1)) for name in keys))
    says_the_same = pl.all_horizontal(
        pl.lit(True), *(pl.col(name).eq_missing(pl.col(name).shift(-1)) for name in facts)
    )
    is_revised = of_one_key & ~says_the_same & (pl.col("_at") < len(ordered) - 1)
    last_revised = pl.when("_is_revised").then(pl.col("_at").cast(pl.Int64)).max().over(keys).fill_null(-1)
    return (
        ordered.with_columns(_is_revised=is_revised)
        .filter(pl.col("_at") > last_revised)
        .unique(keys, keep="first", maintain_order=True)
        .drop("_final", "_at", "_is_revised")
    )
