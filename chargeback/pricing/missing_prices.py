"""What is missing where something was held that the card in force does not price, and how its entry is begun.

Not here: that it blocks the month (checks/rated_usage.py).
"""

from collections.abc import Mapping

import polars as pl

CHECKLIST = "telemetry verified, slice table, inventory, price, first billing day"
"""What a new generation needs before it is billed, in this order."""


def missing_price_findings(
    unpriced: pl.DataFrame, rated: pl.DataFrame, prices: pl.DataFrame
) -> list[tuple[str, str, str]]:
    """(accelerator and tier, what is missing and what to do, what was held), in the order of `unpriced`.

    Input:  rating.unpriced_usage of contracts.rated_usage, that table itself, and contracts.rate_card of the month.
    """
    tiers = _tiers(prices)
    rows = unpriced.select("accelerator", "tier", "quantity_unit", "held_seconds", "run_count").iter_rows()
    return [
        (
            f"{accelerator} {tier}",
            f"a price in the rate card in force: {_remedy(accelerator, tier, tiers)}",
            f"{seconds} {unit}s in {runs} runs without one, {_seen(accelerator, tier, rated)}",
        )
        for accelerator, tier, unit, seconds, runs in rows
    ]


def _remedy(accelerator: str, tier: str, tiers: Mapping[str, list[str]]) -> str:
    whole, _, profile = accelerator.partition(":")
    if tier in tiers.get(accelerator, []):
        return (
            "it has one for another way of sharing, or changed since: materialise rated_usage again, or price that way"
        )
    if accelerator in tiers:
        known = ", ".join(tiers[accelerator])
        return f"it prices {accelerator} as {known}: add {tier} to it, or map the tier in [clusters.NAME.tiers]"
    if profile and whole in tiers:
        return (
            f"it prices {whole} without this slice: add {profile} under its `slices`, with a price or a billing_weight"
        )
    return (
        f"`chargeback rate-card new CARD.yaml --accelerator {whole}` starts its entry; before it is billed: "
        f"{CHECKLIST} (a wrong name is an alias in [accelerators])"
    )


def _seen(accelerator: str, tier: str, rated: pl.DataFrame) -> str:
    """Since when it is held, and whether telemetry knows it: two of the checklist's answers."""
    rows = rated.filter((pl.col("accelerator") == accelerator) & (pl.col("tier") == tier) & pl.col("price").is_null())
    measured = rows.group_by("cluster", "run").agg(pl.col("gpus_measured").max())["gpus_measured"].sum()
    first = rows.select(pl.col("day").min()).item()
    return f"first on {first}, telemetry saw {measured} of its GPUs"


def _tiers(prices: pl.DataFrame) -> dict[str, list[str]]:
    tiers: dict[str, list[str]] = {}
    for accelerator, tier in prices.select("accelerator", "tier").sort("accelerator", "tier").iter_rows():
        tiers.setdefault(accelerator, []).append(tier)
    return tiers
