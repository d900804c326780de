"""Which price of the card a row of usage has, in which unit it is counted, and by which weight. Nothing is priced."""

import polars as pl

_CARD = (
    "accelerator", "tier", "price", "price_unit", "card_version", "billing_weight_numerator",
    "billing_weight_denominator",
)  # fmt: skip


def with_card(usage: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """Usage with price and card_version (null where the card has none that fits), quantity_unit, and its weight.

    Input:   usage with accelerator, tier and sharing, and without these columns; contracts.rate_card of one month.
    Output:  `weight_numerator / weight_denominator` is the billing weight of a slice that the card weighs, else 1.
             A slice fits a price per slice-hour or a weight, never a whole GPU's; all else a price per GPU-hour.
    """
    is_slice = pl.col("sharing") == "mig"
    is_weighed = pl.col("billing_weight_numerator").is_not_null()
    fits = pl.when(is_slice).then(is_weighed | (pl.col("price_unit") == "slice-hour")).otherwise(
        ~is_weighed & (pl.col("price_unit") == "GPU-hour")
    )  # fmt: skip
    is_weighed_slice = is_slice & is_weighed
    joined = usage.join(prices.select(_CARD), on=["accelerator", "tier"], how="left", validate="m:1")
    return joined.with_columns(
        price=pl.when(fits).then("price"),
        card_version=pl.when(fits).then("card_version"),
        quantity_unit=pl.when(is_slice & ~is_weighed).then(pl.lit("slice-second")).otherwise(pl.lit("GPU-second")),
        weight_numerator=pl.when(is_weighed_slice).then("billing_weight_numerator").otherwise(1),
        weight_denominator=pl.when(is_weighed_slice).then("billing_weight_denominator").otherwise(1),
    ).drop("price_unit", "billing_weight_numerator", "billing_weight_denominator")
