"""The picture of a recovery ledger: where the pool went, one bar a term, below zero to the left.

Not here: the table of the same figures (recovery.html.jinja).
"""

import altair as alt

from chargeback.ledger.charts import svg_of
from chargeback.ledger.statement_document import Document

SHADES = {"recovered": "#0b3c6f", "borne": "#e0a83a"}
"""What came in is dark, what the platform bears or carries forward is light: readable in grey."""


def chart_of_recovery(report: Document) -> str:
    """An SVG of the terms of a recovery_report; '' where there is no pool."""
    if not report["has_pool"]:
        return ""
    terms = [
        {
            "term": term["term"].replace("_", " "),
            "amount": term["amount"],
            "part": "recovered" if term["term"] == "recovered" else "borne",
        }
        for term in report["terms"]
    ]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=terms, format=alt.JsonDataFormat(type="json", parse={"amount": "number"})))
        .mark_bar(stroke="#ffffff", strokeWidth=0.7)
        .encode(
            y=alt.Y(
                "term:N",
                title=None,
                scale=alt.Scale(domain=[term["term"] for term in terms]),
                axis=alt.Axis(labelLimit=150, ticks=False),
            ),
            x=alt.X("amount:Q", title=report["currency"], axis=alt.Axis(tickCount=6, format=",~r")),
            color=alt.Color("part:N", legend=None, scale=alt.Scale(domain=list(SHADES), range=list(SHADES.values()))),
        )
        .properties(width=560, height=alt.Step(22))
    )
    return svg_of(chart, margin=16)
