"""Held GPU-hours per day as an inline SVG: drawn offline, the same bytes every time, readable in grey.

Shades run from dark to light in the order of the key, with a white edge between them. Not here: the table of the same
figures for those who cannot see it (statement.html.jinja).
"""

from collections.abc import Sequence
from fractions import Fraction

import vl_convert

from chargeback.ledger.statement_document import Document

VEGA_LITE = "5.20"
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
    drawn = [accelerator for accelerator, _ in chart_key(days)]
    values = [
        {"day": row["day"][8:], "rank": min(order.index(row["accelerator"]), len(drawn) - 1), "hours": row["hours"],
         "accelerator": row["accelerator"] if row["accelerator"] in drawn else OTHERS}
        for row in days
    ]  # fmt: skip
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 690,
        "height": 110,
        "padding": 2,
        "background": "transparent",
        "data": {"values": values, "format": {"parse": {"hours": "number"}}},
        "mark": {"type": "bar", "stroke": "#ffffff", "strokeWidth": 0.7},
        "encoding": {
            "x": {"field": "day", "type": "ordinal", "title": None, "scale": {"domain": [day[8:] for day in all_days]},
                  "axis": {"labelAngle": 0, "ticks": False, "labelOverlap": "greedy"}},
            "y": {"field": "hours", "type": "quantitative", "aggregate": "sum", "title": "GPU-hours",
                  "axis": {"tickCount": 4, "format": ",~r"}},
            "color": {"field": "accelerator", "type": "nominal", "legend": None,
                      "scale": {"domain": drawn, "range": list(SHADES[: len(drawn)])}},
            "order": {"field": "rank", "type": "quantitative"},
        },
        "config": {"font": "Liberation Sans", "view": {"stroke": None},
                   "axis": {"labelColor": "#59636e", "titleColor": "#59636e", "titleFontWeight": "normal",
                            "domainColor": "#8b949e", "gridColor": "#e4e8ec"}},
    }  # fmt: skip
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))


def _by_hours(days: Sequence[Document]) -> list[str]:
    hours: dict[str, Fraction] = {}
    for row in days:
        hours[row["accelerator"]] = hours.get(row["accelerator"], Fraction(0)) + Fraction(row["hours"])
    return sorted(hours, key=lambda accelerator: (-hours[accelerator], accelerator))
