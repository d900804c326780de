"""Contract of journal_entries: balanced debits and credits, one batch per company and month."""

import polars as pl

from chargeback.contracts.common_columns import ACCELERATOR, COMPANY, COST_CENTRE, CURRENCY, MONTH, TEAM, TIER
from chargeback.contracts.contract import MONEY, Column, Contract
from chargeback.contracts.names import CHARGE_KINDS

CORRECTION, REVERSED = CORRECTION_KINDS = ("correction", "reversal")
"""Entries of closed months, booked in an open one: the difference or the new amount, and what was said before."""

JOURNAL_ENTRIES = Contract(
    table="journal_entries",
    grain="one row per line of a journal entry",
    key=("month", "entry_key", "line_number"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        COMPANY,
        Column("batch_key", pl.String(), "one batch per company and month"),
        Column("entry_key", pl.String(), "one entry per team and kind; the same key never has two contents once sent"),
        Column("line_number", pl.Int64(), "line in the entry, from 1", minimum=1),
        Column("side", pl.String(), "debit or credit; amounts are positive", values=("debit", "credit")),
        Column("account", pl.String(), "account in the finance system"),
        COST_CENTRE,
        TEAM,
        Column("accelerator", ACCELERATOR.dtype, "accelerator of the team's side; empty on the platform's"),
        Column("tier", TIER.dtype, "tier of the team's side; empty on the platform's"),
        Column(
            "kind",
            pl.String(),
            "kind of its lines; or what it does to a closed month",
            values=(*CHARGE_KINDS, *CORRECTION_KINDS),
        ),
        Column("tax_code", pl.String(), "of the team's side, as the card states it; amounts are net of tax"),
        Column("amount", MONEY, "positive", "currency", minimum=0),
        CURRENCY,
        Column("partner_company", pl.String(), "company that the entry is owed to; empty within one company"),
        Column("hold", pl.String(), "why the whole entry may not be posted yet; empty if it may"),
        Column("description", pl.String(), "text for the finance system"),
    ),
    checks=("journal_balances", "journal_equals_charges", "journal_held_for_terms"),
)
