"""The asset journal_entries."""

import dagster as dg
import polars as pl

from assets.corrections import corrections
from assets.materialisation import Inputs, materialise, month_of
from assets.rate_card import rate_card
from assets.team_charges import team_charges
from chargeback.contracts.class_terms import class_terms
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_entries import correction_entries
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.journal import JournalAccounts
from chargeback.ledger.journal import journal_entries as entries_of
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[team_charges, corrections, rate_card])
def journal_entries(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per line of a journal entry: balanced debits and credits, one batch per company and month."""
    month = month_of(context, settings)
    lines, corrected, prices = (lake.scan(table, [month.partition]) for table in (TEAM_CHARGES, CORRECTIONS, RATE_CARD))
    books, style = settings.journal, settings.corrections.style
    accounts = JournalAccounts(
        expense=books.expense_account,
        recovery=books.recovery_account,
        suspense=books.suspense_account,
        credits=books.credit_account,
        platform_company=books.company,
        platform_cost_centre=books.cost_centre,
    )
    return materialise(
        context,
        lake,
        JOURNAL_ENTRIES,
        month.partition,
        inputs=Inputs.of(lines, corrected, prices, settings={"accounts": accounts, "correction_style": style}),
        rule=lambda: _entries(
            *(scanned.frame.collect() for scanned in (lines, corrected, prices)),
            month=month.period.month,
            accounts=accounts,
            style=style,
        ),
    )


def _entries(
    lines: pl.DataFrame,
    corrected: pl.DataFrame,
    prices: pl.DataFrame,
    *,
    month: str,
    accounts: JournalAccounts,
    style: str,
) -> pl.DataFrame:
    terms = PostingTerms(accounts.platform_company, class_terms(prices))
    own = entries_of(lines, month=month, accounts=accounts, terms=terms)
    return pl.concat([own, correction_entries(corrected, month=month, accounts=accounts, style=style, terms=terms)])
