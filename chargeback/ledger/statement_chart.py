"""The charts of a statement: held GPU-hours per day by accelerator, and by what the held time did.

Shades run from dark to light in the order of the key, with a white edge between them. Not here: how a chart is drawn
(charts.py), the table of the same figures for those who cannot see it (statement.html.jinja).
"""

from collections.abc import Sequence
from fractions import Fraction

from chargeback.ledger.charts import STATE_SHADES, stacked_days, svg_of
from chargeback.ledger.statement_document import Document

SHADES = ("#0b3c6f", "#3f86c4", "#9cc8ec", "#d9a441", "#f0d9a8", "#b9bfc6")
OTHERS = "others"


def chart_key(days: Sequence[Document]) -> list[tuple[str, str]]:
    """(accelerator, its shade), the one held most first. More than six: the smallest are drawn as `others`."""
    order = _by_hours(days)
    drawn = order if len(order) <= len(SHADES) else [*order[: len(SHADES) - 1], OTHERS]
    return list(zip(drawn, SHADES, strict=False))


def chart_of_days(days: Sequence[Document], *, all_days: Sequence[str]) -> str:
    """One stacked bar a day, the accelerator held most at the bottom; days without a hold stay empty. '' without hours.

    Input: rows of day, accelerator and hours (texts, as documents hold them). The key is not drawn: see `chart_key`.
    """
    if not days:
        return ""
    order = _by_hours(days)
    shades = dict(chart_key(days))
    points = [
        {"day": row["day"][8:], "rank": min(order.index(row["accelerator"]), len(shades) - 1), "hours": row["hours"],
         "name": row["accelerator"] if row["accelerator"] in shades else OTHERS}
        for row in days
    ]  # fmt: skip
    return svg_of(stacked_days(points, days=[day[8:] for day in all_days], shades=shades))


def chart_of_states(days: Sequence[Document], *, all_days: Sequence[str]) -> str:
    """One stacked bar a day: busy at the bottom, then starved, idle and unmeasured. '' where nothing was measured."""
    if not days:
        return ""
    points = [
        {"day": row["day"][8:], "rank": rank, "hours": row[f"{state}_hours"], "name": state}
        for row in days
        for rank, state in enumerate(STATE_SHADES)
    ]
    return svg_of(stacked_days(points, days=[day[8:] for day in all_days], shades=STATE_SHADES))


def _by_hours(days: Sequence[Document]) -> list[str]:
    hours: dict[str, Fraction] = {}
    for row in days:
        hours[row["accelerator"]] = hours.get(row["accelerator"], Fraction(0)) + Fraction(row["hours"])
    return sorted(hours, key=lambda accelerator: (-hours[accelerator], accelerator))
