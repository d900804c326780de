"""Contract of ownership: who answers for an account, in per cent, with effective dates."""

import polars as pl

from chargeback.contracts.common_columns import (
    CLUSTER,
    COMPANY,
    COST_CENTRE,
    CUSTOMER_CLASS,
    LINE,
    MONTH,
    OBJECT,
    PROJECT,
    TEAM,
)
from chargeback.contracts.contract import Column, Contract

OWNERSHIP_KINDS = ("account", "namespace", "queue", "label", "user", "wckey", "reservation")

OWNERSHIP = Contract(
    table="ownership",
    grain="one row per key, owner and stretch of days, cut to the month",
    key=("month", "cluster", "kind", "key", "project", "team", "cost_centre", "company", "valid_from"),
    partitioned_by=("month",),
    stage="pricing",
    columns=(
        MONTH,
        CLUSTER,
        Column(
            "kind",
            pl.String(),
            "what the key is",
            values=OWNERSHIP_KINDS,
        ),
        Column(
            "key",
            pl.String(),
            "account; namespace; Slurm partition, or namespace/queue; namespace/label=value; user; WCKey; reservation",
        ),
        PROJECT,
        TEAM,
        COST_CENTRE,
        COMPANY,
        CUSTOMER_CLASS,
        Column("percent_numerator", pl.Int64(), "part that this owner bears: 2 of 2/5", minimum=1),
        Column("percent_denominator", pl.Int64(), "part that this owner bears: 5 of 2/5", minimum=1),
        Column("valid_from", pl.String(), "first local day of the month on which it is valid"),
        Column("valid_until", pl.String(), "first local day on which it is not any more"),
        OBJECT,
        LINE,
    ),
    checks=("ownership_unambiguous",),
)
