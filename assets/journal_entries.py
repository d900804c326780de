"""The asset journal_entries."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.team_charges import team_charges
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.journal import JournalAccounts
from chargeback.ledger.journal import journal_entries as entries_of
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[team_charges])
def journal_entries(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per line of a journal entry: balanced debits and credits, one batch per company and month."""
    month = month_of(context, settings)
    lines = lake.scan(TEAM_CHARGES, [month.partition])
    books = settings.journal
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
        inputs=Inputs.of(lines, settings={"accounts": accounts}),
        rule=lambda: entries_of(lines.frame.collect(), month=month.period.month, accounts=accounts),
    )
