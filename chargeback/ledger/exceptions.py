"""What ran and nobody held: devices that worked outside every hold. An exception, nobody's charge, and never idle.

Not here: how it is found (attribution), what capacity nobody held (capacity_totals.py).
"""

from fractions import Fraction

import polars as pl

from chargeback.ledger.plain_numbers import hours_text
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.usage_states import MILLISECONDS, PPM

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


def unheld_parts(unheld: pl.DataFrame, *, limit: int) -> Document:
    """The same as texts: the `limit` most active devices, and the sums of all."""
    active = Fraction(int(unheld["active_milliseconds"].sum()), MILLISECONDS)
    return {
        "device_count": len(unheld),
        "hours": hours_text(active),
        "gpu_seconds": str(active),
        "rows": [
            {
                **{name: row[name] or "" for name in ("cluster", "host", "gpu", "first_day", "last_day", "labels")},
                "accelerator": row["accelerator"],
                "name": accelerator_name(row["accelerator"]),
                "hours": hours_text(Fraction(row["active_milliseconds"], MILLISECONDS)),
                "consumed_hours": hours_text(Fraction(row["consumed_ppm_milliseconds"], MILLISECONDS * PPM)),
                "do_first": UNHELD_ADVICE,
            }
            for row in unheld.head(limit).iter_rows(named=True)
        ],
    }


UNHELD_ADVICE = "it works and no scheduler gave it away: look who uses its host by hand, or without asking for the GPU"
