"""Teams whose month is far from the one before, with the cause; and how much of the month nobody owns.

Not here: what a cause is (month_change.py), the limits, which are settings.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.names import ALLOCATION, UNATTRIBUTED
from chargeback.ledger.plain_numbers import decimal_text

CAUSES = {"hours_effect": "hours", "rate_effect": "rate", "credits_effect": "credits"}


def drift_findings(documents: Iterable[Mapping[str, Any]], *, limit_percent: int) -> list[tuple[str, str, str]]:
    """Statements whose total differs from the month before by more than the limit: key, expected, observed.

    A team that paid nothing the month before has nothing to be held against.
    """
    found = []
    for document in documents:
        change = document["change"]
        before = Fraction(Decimal(change["previous_total"])) if change["has_previous"] else Fraction(0)
        if not before:
            continue
        share = Fraction(Decimal(change["difference"])) * 100 / abs(before)
        if abs(share) > limit_percent:
            cause = max(CAUSES, key=lambda name: abs(Decimal(change[name])))
            expected = f"within {limit_percent} % of {change['previous_total']} {document['currency']}"
            moved = f"{decimal_text(share, decimals=1)} %, most of it {CAUSES[cause]} ({change[cause]})"
            found.append((document["team"], expected, f"{document['total']}, {moved}"))
    return found


def unattributed_findings(lines: pl.DataFrame, *, limit_percent: int) -> list[tuple[str, str, str]]:
    """One finding if more of the charged hours than the limit has no owner, by contracts.team_charges of a month."""
    held = lines.filter(pl.col("kind") == ALLOCATION).select("team", "gpu_seconds")
    whole = sum((Fraction(text) for text in held["gpu_seconds"]), Fraction(0))
    unknown = sum((Fraction(text) for team, text in held.iter_rows() if team == UNATTRIBUTED), Fraction(0))
    share = unknown * 100 / whole if whole else Fraction(0)
    if share <= limit_percent:
        return []
    told = f"{decimal_text(share, decimals=1)} % of the held hours: name their owners"
    return [(UNATTRIBUTED, f"at most {limit_percent} % of the held hours", told)]
