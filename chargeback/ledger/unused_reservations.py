"""What reservations kept and nobody held, by reservation, and the same as losses: to release one may be done first.

Not here: who pays for it (pricing/reserved_unused.py), what was held and lost (waste.py).
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import RESERVED_UNUSED, UNUSED_RUN_PREFIX
from chargeback.ledger.credit_parts import kind_name
from chargeback.ledger.plain_numbers import decimal_text, hours_text
from chargeback.ledger.statement_document import Document
from chargeback.money import SECONDS_PER_HOUR

ADVICE = "nobody held it: release it, or reserve less"


@dataclass(frozen=True, slots=True)
class Unused:
    """GPU-seconds that nobody held, what they cost before rounding, and the first and last local day of them."""

    gpu_seconds: Fraction
    cost: Fraction
    first_day: str
    last_day: str


def unused_reservations(rated: pl.DataFrame) -> dict[tuple[str, str], Unused]:
    """Cluster and name of a reservation -> what of it nobody held, in order.

    Input: contracts.rated_usage of whatever is looked at; what is forgiven of it is not looked at.
    """
    seconds = pl.col("quantity_numerator").cast(pl.Int128).sum()
    added = (
        rated.filter(pl.col("kind") == RESERVED_UNUSED)
        .group_by("cluster", "run", "price", "quantity_denominator")
        .agg(seconds, first_day=pl.col("day").min(), last_day=pl.col("day").max())
    )
    sums: dict[tuple[str, str], Unused] = {}
    for cluster, run, price, denominator, numerator, first, last in added.iter_rows():
        key = (cluster, run.removeprefix(UNUSED_RUN_PREFIX))
        quantity = Fraction(numerator, denominator)
        found = Unused(quantity, quantity * Fraction(price or 0) / SECONDS_PER_HOUR, first, last)
        sums[key] = _together(sums[key], found) if key in sums else found
    return {key: sums[key] for key in sorted(sums)}


def unused_texts(rated: pl.DataFrame, *, cost_decimals: int) -> list[Document]:
    """Each reservation with what of it nobody held, spelled as waste_parts.item_texts spells a loss. Of one team."""
    return [
        {
            "cluster": cluster,
            "team": rated["team"][0],
            **dict.fromkeys(("account", "user", "workload_class", "job_id", "held_hours"), ""),
            "workload_name": name,
            "kind": RESERVED_UNUSED,
            "what": kind_name(RESERVED_UNUSED),
            "gpu_seconds": str(unused.gpu_seconds),
            "hours": hours_text(unused.gpu_seconds),
            "active_hours": hours_text(Fraction(0)),
            "about": decimal_text(unused.cost, decimals=cost_decimals),
            "first_day": unused.first_day,
            "last_day": unused.last_day,
            **dict.fromkeys(("run_count", "gpus_measured", "gpus_never_active"), 0),
            "is_estimate": False,
            "do_first": ADVICE,
        }
        for (cluster, name), unused in unused_reservations(rated).items()
    ]


def _together(mine: Unused, theirs: Unused) -> Unused:
    return replace(
        mine,
        gpu_seconds=mine.gpu_seconds + theirs.gpu_seconds,
        cost=mine.cost + theirs.cost,
        first_day=min(mine.first_day, theirs.first_day),
        last_day=max(mine.last_day, theirs.last_day),
    )
