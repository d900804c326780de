"""Contract of team_charges: statement lines. Each sums its quantities, multiplies once, rounds once, by itself."""

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

TEAM_CHARGES = Contract(
    table="team_charges",
    grain="one row per statement line: team, cost centre, project, cluster, accelerator or slice, tier and kind",
    key=("month", "line_id"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("line_id", pl.String(), "stable id: the same line has it in every computation"),
        TEAM,
        COST_CENTRE,
        PROJECT,
        COMPANY,
        CUSTOMER_CLASS,
        CLUSTER,
        ACCELERATOR,
        TIER,
        KIND,
        Column(
            "quantity", pl.String(), "exact quantity, a reduced fraction: 7202/5; negative on a credit", "quantity_unit"
        ),
        QUANTITY_UNIT,
        Column(
            "gpu_seconds", pl.String(), "physical GPU-seconds held, a reduced fraction; 0 on a credit", "GPU-seconds"
        ),
        Column("price", PRICE, "price of one hour of quantity_unit", "currency per hour"),
        Column("amount", MONEY, "quantity x price / 3600, rounded once; negative on a credit", "currency"),
        Column("exact_amount", pl.String(), "the same before rounding, a reduced fraction", "currency"),
        CURRENCY,
        Column("card_version", pl.String(), "version of the rate card"),
        Column("run_count", pl.Int64(), "runs behind the line", "runs", minimum=1),
        Column("running_count", pl.Int64(), "runs behind the line that were still going", "runs", minimum=0),
    ),
    checks=("charges_recompute", "charges_complete", "line_prices_equal_card", "owners_known"),
)
