"""A parallel month beside finance's own figures, as one self-contained HTML page with a picture.

Not here: any figure; the page prints what the document says (parallel_report.py).
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import altair as alt

from chargeback.ledger.charts import svg_of
from chargeback.ledger.statement_page import templates
from chargeback.ledger.variance import CAUSES

SHADES = {
    "rate": "#0b3c6f", "hours": "#3f7cac", "ownership": "#7fb4c9", "credits": "#0f5c41",
    "missing reference": "#e0a83a", "unexplained": "#b5402f",
}  # fmt: skip
MOST_CENTRES = 25


def render_parallel(report: Mapping[str, Any]) -> bytes:
    """The page; equal documents make equal bytes."""
    differing = [row for row in report["rows"] if any(Decimal(row["causes"][cause]) for cause in CAUSES)]
    largest = sorted(differing, key=lambda row: (-_size(row), row["cost_centre"]))
    page = templates().get_template("parallel.html.jinja")
    return page.render(
        r=report,
        causes=[cause for cause in CAUSES if any(Decimal(row["causes"][cause]) for row in report["rows"])],
        sources=sorted({row["source"] for row in report["rows"] if row["source"]}),
        chart=_chart(largest[:MOST_CENTRES], report["currency"]) if largest else "",
        chart_key=list(SHADES.items()),
        left_out=max(0, len(largest) - MOST_CENTRES),
    ).encode()


def _size(row: Mapping[str, Any]) -> Decimal:
    return sum((abs(Decimal(row["causes"][cause])) for cause in CAUSES), Decimal(0))


def _chart(rows: list[Mapping[str, Any]], currency: str) -> str:
    """One bar a cost centre, its causes side by side: to the right what we have more, to the left what we have less."""
    points = [
        {"centre": row["cost_centre"], "cause": cause, "order": str(at), "value": row["causes"][cause]}
        for row in rows
        for at, cause in enumerate(CAUSES)
        if Decimal(row["causes"][cause])
    ]
    data = alt.InlineData(values=points, format=alt.JsonDataFormat(type="json", parse={"value": "number"}))
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_bar(stroke="#ffffff", strokeWidth=0.7)
        .encode(
            y=alt.Y("centre:N", title=None, scale=alt.Scale(domain=[row["cost_centre"] for row in rows]),
                    axis=alt.Axis(labelLimit=150, ticks=False)),
            x=alt.X("value:Q", title=f"{currency}: ours less finance's", axis=alt.Axis(tickCount=6, format="+,~r")),
            color=alt.Color("cause:N", legend=None, scale=alt.Scale(domain=list(SHADES), range=list(SHADES.values()))),
            order=alt.Order("order:N"),
        )
        .properties(width=560, height=alt.Step(22))
    )  # fmt: skip
    return svg_of(chart, margin=16)
