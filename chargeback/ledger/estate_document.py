"""The estate's part of every statement document: what finance ties the statements to. Not here: a team's own part."""

from fractions import Fraction

import polars as pl

from chargeback.ledger.capacity_totals import COLUMNS
from chargeback.ledger.charges import residue, total_of
from chargeback.ledger.correction_parts import corrected_document
from chargeback.ledger.credit_parts import credit_parts
from chargeback.ledger.estate_operations import operations_parts, without_operations
from chargeback.ledger.exceptions import QUOTA, UNHELD, exception_parts
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_amount
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.statement_parts import not_charged_parts
from chargeback.ledger.usage_sums import held_by, total
from chargeback.ledger.utilisation import held_parts, utilisation_parts
from chargeback.money import Currency

EXCEPTION_ROWS = 20


def estate_document(
    lines: pl.DataFrame,
    rated: pl.LazyFrame,
    uncharged: pl.DataFrame,
    capacity_totals: pl.DataFrame,
    corrections: pl.DataFrame,
    *,
    currency: Currency,
) -> Document:
    """Totals, what is not charged, and conservation of a month, as texts.

    Input:   contracts.team_charges, rated_usage (with node sizes; summed as a stream) and corrections of the month;
             uncharged runs; capacity totals.
    """
    left = residue(lines)
    document: Document = {
        "total": plain_amount(total_of(lines), currency),
        "credits": credit_parts(rated, lines, currency=currency, limit=0),
        "held_hours": hours_text(total(held_by(rated, "team")).gpu_seconds),
        "held": held_parts(rated),
        "utilisation": utilisation_parts(rated),
        "residue": str(left),
        "residue_shown": decimal_text(left, decimals=7),
        "operations": operations_parts(rated),
        "not_charged": not_charged_parts(
            without_operations(rated), uncharged.unique(("cluster", "run", "reason"), maintain_order=True)
        ),
        "conservation": [
            {
                "accelerator": row["accelerator"],
                "name": accelerator_name(row["accelerator"]),
                **{state: row[state] for state in COLUMNS},
                **{f"{state}_hours": hours_text(Fraction(row[state])) for state in COLUMNS},
            }
            for row in capacity_totals.iter_rows(named=True)
        ],
    }
    return corrected_document(document, corrections, currency)


def exceptions_of_estate(unheld: pl.DataFrame | None, quota: pl.DataFrame | None) -> Document:
    """What needs somebody's eye (exceptions.UNHELD and QUOTA); nothing where nothing is known."""
    return exception_parts(
        pl.DataFrame(schema=UNHELD) if unheld is None else unheld,
        pl.DataFrame(schema=QUOTA) if quota is None else quota,
        limit=EXCEPTION_ROWS,
    )
