"""Contract of published: the documents that a month's certificate let out."""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import Column, Contract

PUBLISHED = Contract(
    table="published",
    grain="one row per published document",
    key=("month", "object"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("object", pl.String(), "key of the document under published/"),
        Column(
            "kind",
            pl.String(),
            "what it is",
            values=(
                "statement page",
                "statement paper",
                "statement lines",
                "statement corrections",
                "estate summary",
                "journal",
                "recovery",
                "ledger file",
                "FOCUS file",
            ),
        ),
        Column("team", pl.String(), "team; empty for documents of the whole month"),
        Column("sha256", pl.String(), "content hash of the document"),
        Column("bytes", pl.Int64(), "size", "bytes", minimum=0),
        Column("certificate_hash", pl.String(), "content hash of the certificate that let it out"),
    ),
    checks=("published_intact",),
)
