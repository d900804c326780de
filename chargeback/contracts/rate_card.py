"""Contract of rate_card: the prices in force in a month."""

import polars as pl

from chargeback.contracts.common_columns import CURRENCY, MONTH, OBJECT, TIER
from chargeback.contracts.contract import PRICE, Column, Contract

PRICE_UNITS = ("GPU-hour", "slice-hour")

RATE_CARD = Contract(
    table="rate_card",
    grain="one row per accelerator (or slice) and tier that the card in force prices",
    key=("month", "accelerator", "tier"),
    partitioned_by=("month",),
    stage="pricing",
    columns=(
        MONTH,
        Column("card_version", pl.String(), "version of the rate card"),
        Column("accelerator", pl.String(), "accelerator, or accelerator:profile of a slice"),
        TIER,
        Column("price", PRICE, "price of one unit", "currency per price_unit"),
        Column("price_unit", pl.String(), "unit that the price is for, resolved to hours", values=PRICE_UNITS),
        Column(
            "billing_weight_numerator",
            pl.Int64(),
            "GPUs that one slice counts as, numerator; null where the price is stated for what is held",
            "GPUs",
            nullable=True,
            minimum=1,
        ),
        Column(
            "billing_weight_denominator",
            pl.Int64(),
            "GPUs that one slice counts as, denominator; null where the price is stated for what is held",
            nullable=True,
            minimum=1,
        ),
        Column("stated_price", PRICE, "price as the card states it", "currency per stated_unit"),
        Column("stated_unit", pl.String(), "unit as the card states it: GPU-hour, slice-hour, month, month_730"),
        Column(
            "class_prices",
            pl.String(),
            'what each customer class pays, JSON of class -> price per hour: {"federal":"1.10"}; null: all pay price',
            nullable=True,
        ),
        Column(
            "class_terms",
            pl.String(),
            "what is posted by class, JSON of class -> kind, mark_up and tax_code as stated; null without classes",
            nullable=True,
        ),
        Column(
            "policies",
            pl.String(),
            "policies that the card states, JSON of name -> value, the same in every row; null if none",
            nullable=True,
        ),
        CURRENCY,
        Column("is_signed", pl.Boolean(), "the card bears a signature of finance that counts for this month"),
        Column("signature", pl.String(), "who signed the card and when, or why no signature counts"),
        Column("card_sha256", pl.String(), "content hash of the card"),
        OBJECT,
    ),
    checks=("rate_card_valid", "rate_card_signed", "customer_classes_equal", "card_policies_kept"),
)
