"""The asset journal_entries."""

import dagster as dg
import polars as pl

from assets.corrections import corrections
from assets.materialisation import Inputs, materialise, month_of
from assets.team_charges import team_charges
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_entries import correction_entries
from chargeback.ledger.journal import JournalAccounts
from chargeback.ledger.journal import journal_entries as entries_of
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[team_charges, corrections])
def journal_entries(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per line of a journal entry: balanced debits and credits, one batch per company and month."""
    month = month_of(context, settings)
    lines, corrected = (lake.scan(table, [month.partition]) for table in (TEAM_CHARGES, CORRECTIONS))
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
        inputs=Inputs.of(lines, corrected, settings={"accounts": accounts, "correction_style": style}),
        rule=lambda: pl.concat(
            [
                entries_of(lines.frame.collect(), month=month.period.month, accounts=accounts),
                correction_entries(corrected.frame.collect(), month=month.period.month, accounts=accounts, style=style),
            ]
        ),
    )
