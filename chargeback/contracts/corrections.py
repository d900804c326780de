"""Contract of corrections: what a closed month would say otherwise today, booked in the month that is open."""

import polars as pl

from chargeback.contracts.common_columns import (
    ACCELERATOR,
    CLUSTER,
    COMPANY,
    COST_CENTRE,
    CURRENCY,
    CUSTOMER_CLASS,
    KIND,
    MONTH,
    PROJECT,
    QUANTITY_UNIT,
    TEAM,
    TIER,
)
from chargeback.contracts.contract import MONEY, PRICE, Column, Contract

BOOKED, ACCUMULATED = "booked", "accumulated"

CORRECTIONS = Contract(
    table="corrections",
    grain="one row per line of a closed month that differs from what was said of it so far",
    key=("month", "line_id"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("corrects_month", pl.String(), "closed month that has the line, before the month that books it"),
        Column("line_id", pl.String(), "the corrected line; one that the closed month did not have is new"),
        TEAM,
        COST_CENTRE,
        PROJECT,
        COMPANY,
        CUSTOMER_CLASS,
        CLUSTER,
        ACCELERATOR,
        TIER,
        KIND,
        QUANTITY_UNIT,
        Column("stood_quantity", pl.String(), "exact quantity said so far; 0 for a new line", "quantity_unit"),
        Column("fresh_quantity", pl.String(), "exact quantity now; 0 for a line that is gone", "quantity_unit"),
        Column("stood_price", PRICE, "price said so far; null for a new line", "currency per hour", nullable=True),
        Column("fresh_price", PRICE, "price now; null for a line that is gone", "currency per hour", nullable=True),
        Column("stood_amount", MONEY, "closed line and every correction of it that was booked before", "currency"),
        Column("fresh_amount", MONEY, "the line as a fresh computation makes it", "currency"),
        Column("amount", MONEY, "fresh less stood; negative if given back", "currency"),
        CURRENCY,
        Column("reason", pl.String(), "late usage, ownership, card, credit policy, rules: which inputs differ"),
        Column("status", pl.String(), "booked, or accumulated below the threshold", values=(BOOKED, ACCUMULATED)),
        Column("stood_on", pl.String(), "sha256 of each kind of input behind what was said so far, canonical JSON"),
        Column("follows_from", pl.String(), "the same behind the fresh computation"),
        Column("needs_approval", pl.Boolean(), "booked, and too old or of another fiscal year: the controller signs"),
        Column("approval", pl.String(), "who approved it, or why nobody did; empty where nobody has to"),
    ),
    checks=("corrections_complete", "corrections_approved"),
)
