"""Contract of postings: one row per journal entry, whether it may be sent, and how it stands if it was."""

import polars as pl

from chargeback.contracts.common_columns import COMPANY, CURRENCY, MONTH, TEAM
from chargeback.contracts.contract import MONEY, Column, Contract

POSTING_STATES = ("withheld", "prepared", "sent", "acknowledged", "rejected", "reversed")

POSTINGS = Contract(
    table="postings",
    grain="one row per journal entry",
    key=("month", "entry_key"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        COMPANY,
        TEAM,
        Column("entry_key", pl.String(), "key of the journal entry"),
        Column(
            "state",
            pl.String(),
            "withheld in a parallel month, and while its entry is held; prepared for sending under enforcement; else "
            "as its latest document stands in the outbox",
            values=POSTING_STATES,
        ),
        Column("debit_amount", MONEY, "sum of debits, equal to the sum of credits", "currency", minimum=0),
        CURRENCY,
        Column("entry_sha256", pl.String(), "content hash of the entry"),
        Column("hold", pl.String(), "why the entry may not be posted yet; empty if it may"),
        Column("certificate_hash", pl.String(), "content hash of the certificate that it rests on"),
    ),
    checks=("postings_single",),
)
