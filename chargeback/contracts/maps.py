"""Contract of maps: the maps that a month is billed by, and whether finance has signed them."""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import Column, Contract

MAPS = Contract(
    table="maps",
    grain="one row per map that the settings fill: tiers, accelerators, calendar",
    key=("month", "map"),
    partitioned_by=("month",),
    stage="pricing",
    columns=(
        MONTH,
        Column("map", pl.String(), "tiers, accelerators or calendar"),
        Column("content", pl.String(), "what it maps, canonical JSON: that is what is signed"),
        Column("content_sha256", pl.String(), "sha256 of it"),
        Column("entry_count", pl.Int64(), "names that it maps; 0 once a signed map was emptied", "entries", minimum=0),
        Column("is_signed", pl.Boolean(), "a signature of finance counts for exactly this content and this month"),
        Column("signature", pl.String(), "who signed it and when, or why no signature counts"),
    ),
    checks=("maps_signed",),
)
