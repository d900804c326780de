"""Exceptions, nobody's charge: devices that worked outside every hold, and quota that no pod held. Neither is idle.

Not here: how they are found (attribution, usage), what capacity nobody held (capacity_totals.py).
"""

from fractions import Fraction

import polars as pl

from chargeback.ledger.plain_numbers import hours_text
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.usage_states import MILLISECONDS

UNHELD = {
    "cluster": pl.String(),
    "host": pl.String(),
    "gpu": pl.String(),
    "accelerator": pl.String(),
    "active_milliseconds": pl.Int64(),
    "consumed_ppm_milliseconds": pl.Int64(),
    "first_day": pl.String(),
    "last_day": pl.String(),
    "labels": pl.String(),
}
"""One row per GPU or slice; labels are those that stood on it, some of them where they are many."""

SHOWN_LABELS = 3


def unheld_activity(activity: pl.LazyFrame) -> pl.DataFrame:
    """`UNHELD` from contracts.unallocated_activity of any days, most active first, ties by place."""
    place = ("cluster", "host", "gpu", "accelerator")
    labels = pl.col("labels").drop_nulls().unique().sort()
    return (
        activity.group_by(place)
        .agg(
            pl.col("active_milliseconds", "consumed_ppm_milliseconds").sum(),
            first_day=pl.col("day").min(),
            last_day=pl.col("day").max(),
            labels=labels.head(SHOWN_LABELS).str.join(", "),
        )
        .filter(pl.col("active_milliseconds") > 0)
        .collect(engine="streaming")
        .sort("active_milliseconds", *place, descending=[True, False, False, False, False])
        .select(pl.col(name).cast(dtype) for name, dtype in UNHELD.items())
    )


QUOTA = {
    "cluster": pl.String(),
    "day": pl.String(),
    "namespace": pl.String(),
    "workload": pl.String(),
    "queue": pl.String(),
    "quota_gpu_seconds": pl.Int64(),
}
"""One row per workload and day: GPU-seconds of its admitted quota that no pod of it held."""


def exception_parts(unheld: pl.DataFrame, quota: pl.DataFrame, *, limit: int) -> Document:
    """Both as texts: of each the `limit` largest, and the sums of all.

    Input: `UNHELD`, sorted; `QUOTA` of any days.
    """
    return {"unheld": _unheld_parts(unheld, limit), "quota": _quota_parts(quota, limit)}


def _unheld_parts(unheld: pl.DataFrame, limit: int) -> Document:
    active = Fraction(int(unheld["active_milliseconds"].sum()), MILLISECONDS)
    return {
        "count": len(unheld),
        "hours": hours_text(active),
        "gpu_seconds": str(active),
        "rows": [
            {
                **{name: row[name] or "" for name in ("cluster", "first_day", "last_day")},
                "kind": "worked, held by nobody",
                "where": row["host"],
                "what": row["gpu"],
                "name": accelerator_name(row["accelerator"]),
                "detail": row["labels"] or "",
                "hours": hours_text(Fraction(row["active_milliseconds"], MILLISECONDS)),
                "do_first": UNHELD_ADVICE,
            }
            for row in unheld.head(limit).iter_rows(named=True)
        ],
    }


def _quota_parts(quota: pl.DataFrame, limit: int) -> Document:
    key = ("cluster", "namespace", "workload")
    summed = (
        quota.group_by(key)
        .agg(
            pl.col("quota_gpu_seconds").sum(),
            pl.col("queue").drop_nulls().sort().first(),
            first_day=pl.col("day").min(),
            last_day=pl.col("day").max(),
        )
        .sort("quota_gpu_seconds", *key, descending=[True, False, False, False])
    )
    total = Fraction(int(summed["quota_gpu_seconds"].sum()))
    return {
        "count": len(summed),
        "hours": hours_text(total),
        "gpu_seconds": str(total),
        "rows": [
            {
                **{name: row[name] for name in ("cluster", "first_day", "last_day")},
                "kind": "quota without pods",
                "where": row["namespace"],
                "what": row["workload"],
                "name": row["workload"],
                "detail": row["queue"] or "",
                "hours": hours_text(Fraction(row["quota_gpu_seconds"])),
                "do_first": QUOTA_ADVICE,
            }
            for row in summed.head(limit).iter_rows(named=True)
        ],
    }


UNHELD_ADVICE = "it works and no scheduler gave it away: look who uses its host by hand, or without asking for the GPU"
QUOTA_ADVICE = "admitted and no pod of it runs: others wait for that quota; look why its pods do not come, or end it"
