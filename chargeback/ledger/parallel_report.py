"""The parallel month as a document of texts, as CSV and as rows of a table: what the page and the command print.

Not here: the comparison (variance.py), the page (parallel_page.py).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import decimal_text, plain_amount
from chargeback.ledger.variance import CAUSES, Variance
from chargeback.money import Currency

CSV_COLUMNS = (
    "month", "cost_centre", "teams", "ours", "finance", "variance", *(cause.replace(" ", "_") for cause in CAUSES),
    "currency", "source",
)  # fmt: skip


def parallel_report(
    variance: Variance, *, currency: Currency, limit_percent: Fraction, sign_off: Sequence[str], certificate: str
) -> Mapping[str, Any]:
    """A document of texts. `sign_off`: why the month does not count as signed off, nothing if it does."""
    within = variance.why_not_within(limit_percent)
    share = Fraction(variance.residue) * 100 / abs(Fraction(variance.theirs)) if variance.theirs else None
    return {
        "month": variance.month,
        "currency": currency.code,
        "certificate": certificate,
        "limit_percent": decimal_text(limit_percent, decimals=2),
        "residue": plain_amount(variance.residue, currency),
        "residue_percent": "" if share is None else decimal_text(share, decimals=2),
        "is_within": not within,
        "why_not_within": list(within),
        "is_signed_off": not sign_off,
        "why_not_signed_off": list(sign_off),
        "causes": [{"cause": cause, "amount": plain_amount(variance.total(cause), currency)} for cause in CAUSES],
        "total": {
            "ours": plain_amount(variance.ours, currency),
            "theirs": plain_amount(variance.theirs, currency) if variance.has_reference else "",
            "variance": plain_amount(variance.ours - variance.theirs, currency),
        },
        "rows": [
            {
                "cost_centre": row.cost_centre,
                "teams": list(row.teams),
                "ours": plain_amount(row.ours, currency),
                "theirs": "" if row.theirs is None else plain_amount(row.theirs, currency),
                "variance": plain_amount(row.variance, currency),
                "causes": {cause: plain_amount(row.causes[cause], currency) for cause in CAUSES},
                "source": row.source,
            }
            for row in variance.rows
        ],
    }


def render_parallel_csv(report: Mapping[str, Any]) -> bytes:
    """One row a cost centre, in order of their names; the causes add up to the variance."""
    rows: list[list[str | int | Decimal]] = []
    for row in report["rows"]:
        amounts = [Decimal(row["variance"]), *(Decimal(row["causes"][cause]) for cause in CAUSES)]
        theirs: str | Decimal = Decimal(row["theirs"]) if row["theirs"] else ""
        rows.append(
            [
                report["month"], row["cost_centre"], "; ".join(row["teams"]), Decimal(row["ours"]), theirs, *amounts,
                report["currency"], row["source"],
            ]
        )  # fmt: skip
    return render_csv(CSV_COLUMNS, rows)
