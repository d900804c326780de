"""What computing days again changed, as one document: for the terminal, the page and its picture.

Not here: the sums and differences (recomputed_figures.py), how the page looks (recomputation_page.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chargeback.ledger.plain_numbers import hours_text, plain_amount
from chargeback.ledger.recomputed_figures import Change, Figures, changed_partitions, changes_by, total_change
from chargeback.money import SECONDS_PER_HOUR, Currency

TEAM, CLUSTER, ACCELERATOR = 1, 2, 3
"""Places in the key of what is charged."""

FINEST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Standing:
    """What stood at one time: charges of the months, hours held in the days, `table|partition` -> content hash."""

    charged: Figures
    held: Figures
    contents: Mapping[str, str]


def recomputation(
    before: Standing,
    after: Standing,
    *,
    days: Sequence[str],
    clusters: Sequence[str],
    months: Sequence[str],
    closed_months: Sequence[str],
    currency: Currency,
) -> dict[str, Any]:
    """The document. Rows of a table add up to its total; `changed` is false only if every content is what it was.

    `months` are those whose tables were computed again, `closed_months` those that were left alone.
    """
    teams = changes_by(before.charged, after.charged, (TEAM,))
    places = changes_by(before.charged, after.charged, (CLUSTER, ACCELERATOR))
    held = changes_by(before.held, after.held, (0, 1))
    partitions = changed_partitions(before.contents, after.contents)
    decimals = max(2, *(_decimals(change) for change in (*teams, *places, *held)), 2)
    return {
        "first_day": days[0],
        "last_day": days[-1],
        "clusters": list(clusters),
        "months": list(months),
        "closed_months": list(closed_months),
        "currency": currency.code,
        "changed": bool(partitions),
        "figures_changed": any(_is_change(change) for change in (*teams, *places, *held)),
        "teams": [_row(change, currency, decimals) for change in teams],
        "places": [_row(change, currency, decimals) for change in places],
        "total": _row(total_change(teams), currency, decimals),
        "held": [_row(change, currency, decimals) for change in held],
        "held_total": _row(total_change(held), currency, decimals),
        "partitions": [{"table": table, "count": count} for table, count in partitions.items()],
        "partition_count": sum(partitions.values()),
    }


def _row(change: Change, currency: Currency, decimals: int) -> dict[str, Any]:
    difference = change.difference
    return {
        "name": " · ".join(change.key),
        "hours_before": hours_text(change.before.gpu_seconds, decimals=decimals),
        "hours_after": hours_text(change.after.gpu_seconds, decimals=decimals),
        "hours_difference": hours_text(difference.gpu_seconds, decimals=decimals),
        "amount_before": plain_amount(change.before.amount, currency),
        "amount_after": plain_amount(change.after.amount, currency),
        "amount_difference": plain_amount(difference.amount, currency),
        "gpu_seconds_difference": str(difference.gpu_seconds),
        "changed": _is_change(change),
    }


def _is_change(change: Change) -> bool:
    return bool(change.difference.gpu_seconds or change.difference.amount)


def _decimals(change: Change) -> int:
    """Decimals of hours by which a difference is not shown as zero: two, and more only for a very small one."""
    hours = change.difference.gpu_seconds / SECONDS_PER_HOUR
    enough = (digits for digits in range(2, FINEST_DECIMALS) if not hours or round(hours * 10**digits))
    return next(enough, FINEST_DECIMALS)
