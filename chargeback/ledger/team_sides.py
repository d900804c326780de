"""What a journal's entries put on each team, whatever the kind of entry. Not here: the entries."""

import polars as pl

from chargeback.contracts.journal_entries import CORRECTION_KINDS
from chargeback.contracts.names import CREDIT_KINDS


def on_teams(entries: pl.DataFrame) -> pl.DataFrame:
    """team, amount: what entries debit teams with, less what they credit them with.

    Input:   team, kind, side, accelerator and amount of contracts.journal_entries. A charge debits the team, a contra
             entry credits it; a correction does either, on the rows that name an accelerator.
    """
    is_contra = pl.col("kind").is_in(CREDIT_KINDS)
    is_debit = pl.col("side") == "debit"
    of_correction = pl.col("kind").is_in(CORRECTION_KINDS)
    on_team = pl.when(of_correction).then(pl.col("accelerator") != "").otherwise(is_contra != is_debit)
    amount = pl.when(is_debit).then("amount").otherwise(-pl.col("amount"))
    return entries.filter(on_team).select("team", amount=amount)
