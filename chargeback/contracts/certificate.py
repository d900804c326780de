"""Contract of certificate: the contents of a month that passed every check and may be published."""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import Column, Contract

CERTIFICATE = Contract(
    table="certificate",
    grain="one row per content and check that passed it",
    key=("month", "table_name", "partition", "check_name"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("table_name", pl.String(), "table"),
        Column("partition", pl.String(), "partition of it: 2026-10, or cluster|day"),
        Column("check_name", pl.String(), "check that passed; empty for a content that none is asked for"),
        Column("content_hash", pl.String(), "sha256 of the content that was checked"),
        Column("evidence", pl.String(), "key of the evidence object"),
        Column("severity", pl.String(), "passed, or a finding that does not block", values=("passed", "warning")),
        Column("waiver", pl.String(), "who let a finding pass, until when and why; empty if nothing was found"),
    ),
    checks=("certificate_current",),
)
