"""Contract of outbox: what was sent to the finance system and what became of it, step by step. Only ever added to."""

import polars as pl

from chargeback.contracts.common_columns import COMPANY, CURRENCY, MONTH, TEAM
from chargeback.contracts.contract import INSTANT, MONEY, Column, Contract

SENT, ACKNOWLEDGED, REJECTED, REVERSED = OUTBOX_STATES = ("sent", "acknowledged", "rejected", "reversed")

OUTBOX = Contract(
    table="outbox",
    grain="one row per step of a document on its way into the finance system",
    key=("month", "document_key", "sequence"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        COMPANY,
        TEAM,
        Column("entry_key", pl.String(), "key of the journal entry that it posts, or takes back"),
        Column(
            "document_key",
            pl.String(),
            "key by which the finance system knows it: the entry's with its revision, and `:storno` of a reversal",
        ),
        Column("sequence", pl.Int64(), "step of this document, from 1", minimum=1),
        Column(
            "state",
            pl.String(),
            "sent: about to leave, nobody knows yet; acknowledged: it stands there; rejected: it does not; reversed: "
            "its storno stands there",
            values=OUTBOX_STATES,
        ),
        Column("at", INSTANT, "when this step was written", "instant"),
        Column("system", pl.String(), "adapter that it went through"),
        Column("sender", pl.String(), "the sending that made this step; only that one goes on with it for a while"),
        Column("entry_sha256", pl.String(), "content hash of the journal entry"),
        Column("document_sha256", pl.String(), "content hash of the document, which stands in it over there"),
        Column("debit_amount", MONEY, "sum of debits, equal to the sum of credits", "currency", minimum=0),
        CURRENCY,
        Column("posting_month", pl.String(), "period that it is booked in; another than the month where that is shut"),
        Column("remote_id", pl.String(), "its number over there; empty until it has one"),
        Column("reason", pl.String(), "why it was rejected or reversed, or why its storno is sent; empty else"),
        Column("document", pl.String(), "what was sent, as canonical JSON"),
    ),
    checks=("outbox_in_order", "outbox_single", "outbox_ties_out"),
    closes=False,
)
