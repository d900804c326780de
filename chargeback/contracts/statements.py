"""Contract of statements: the document of a team and month, as content; pages are rendered from it."""

import polars as pl

from chargeback.contracts.common_columns import CURRENCY, MONTH, TEAM
from chargeback.contracts.contract import MONEY, Column, Contract

STATEMENTS = Contract(
    table="statements",
    grain="one row per team",
    key=("month", "team"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        TEAM,
        Column("statement_id", pl.String(), "GPU-2026-10-vision-r1"),
        Column(
            "total_amount",
            MONEY,
            "sum of its rounded lines, credits and corrections of earlier months included; below zero if given back",
            "currency",
        ),
        CURRENCY,
        Column("line_count", pl.Int64(), "lines", "lines", minimum=0),
        Column("document", pl.String(), "everything that the pages print, canonical JSON"),
    ),
    checks=("statements_equal_charges", "statements_name_their_maps", "statements_near_last_month"),
)
