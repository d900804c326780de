"""What computing days again changed, as one self-contained HTML page with a picture.

Not here: any figure; the page prints what the document says.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import altair as alt

from chargeback.ledger.charts import svg_of
from chargeback.ledger.statement_page import templates

SHADES = {"before": "#6aa5d8", "after": "#0b3c6f"}
MOST_TEAMS = 20


def render_recomputation(document: Mapping[str, Any]) -> bytes:
    """The page; equal documents make equal bytes."""
    rows = [row for row in document["teams"] if row["changed"]]
    has_money = any(Decimal(row["amount_difference"]) for row in rows)
    measure = ("amount", document["currency"]) if has_money else ("hours", "GPU-hours")
    shown = sorted(rows, key=lambda row: (-abs(Decimal(row[f"{measure[0]}_difference"])), row["name"]))[:MOST_TEAMS]
    page = templates().get_template("recomputation.html.jinja")
    return page.render(
        r=document,
        chart=_chart(shown, *measure) if shown else "",
        chart_key=list(SHADES.items()),
        charted="amount" if has_money else "GPU-hours",
        left_out=len(rows) - len(shown),
    ).encode()


def _chart(rows: Sequence[Mapping[str, Any]], measure: str, title: str) -> str:
    """Two bars a team, what stood before above what stands now."""
    points = [
        {"team": row["name"], "when": when, "rank": rank, "value": row[f"{measure}_{when}"]}
        for row in rows
        for rank, when in enumerate(SHADES)
    ]
    teams = [row["name"] for row in rows]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=points, format=alt.JsonDataFormat(type="json", parse={"value": "number"})))
        .mark_bar()
        .encode(
            y=alt.Y("team:N", title=None, scale=alt.Scale(domain=teams), axis=alt.Axis(labelLimit=150, ticks=False)),
            yOffset=alt.YOffset("when:N", scale=alt.Scale(domain=list(SHADES))),
            x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=6, format=",~r")),
            color=alt.Color(
                "when:N", legend=None, scale=alt.Scale(domain=list(SHADES), range=list(SHADES.values()))
            ),
        )
        .properties(width=600, height=alt.Step(16))
    )  # fmt: skip
    return svg_of(chart, margin=16)
