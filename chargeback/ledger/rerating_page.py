"""Who pays how much more or less at a candidate card, as one self-contained HTML page with a picture.

Not here: any figure; the page prints what the document says.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import altair as alt

from chargeback.ledger.charts import INK, svg_of
from chargeback.ledger.statement_page import signed, templates

SHADES = {"pays less": "#0f5c41", "pays more": "#b5402f"}
MOST_TEAMS = 25


def render_rerating(document: Mapping[str, Any]) -> bytes:
    """The page; equal documents make equal bytes."""
    rows = [row for status in ("open", "closed") for row in document[status]["teams"] if Decimal(row["difference"])]
    teams = _by_team(rows)
    shown = teams[:MOST_TEAMS]
    page = templates().get_template("rerating.html.jinja")
    return page.render(
        r=document,
        chart=_chart(shown, document["currency"]) if shown else "",
        chart_key=list(SHADES.items()),
        left_out=len(teams) - len(shown),
    ).encode()


def _by_team(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, Decimal]]:
    """Team and difference over open and closed months, largest first, ties by name."""
    sums: dict[str, Decimal] = {}
    for row in rows:
        sums[row["name"]] = sums.get(row["name"], Decimal(0)) + Decimal(row["difference"])
    return sorted(
        ((team, amount) for team, amount in sums.items() if amount), key=lambda each: (-abs(each[1]), each[0])
    )


def _chart(teams: Sequence[tuple[str, Decimal]], currency: str) -> str:
    """One bar a team, to the left where it pays less, with its figure beside it."""
    points = [
        {"team": team, "value": f"{amount:f}", "side": "pays less" if amount < 0 else "pays more",
         "label": signed(f"{amount:f}")}
        for team, amount in teams
    ]  # fmt: skip
    data = alt.InlineData(values=points, format=alt.JsonDataFormat(type="json", parse={"value": "number"}))
    base = alt.Chart(data).encode(
        y=alt.Y("team:N", title=None, scale=alt.Scale(domain=[team for team, _ in teams]),
                axis=alt.Axis(labelLimit=150, ticks=False)),
        x=alt.X("value:Q", title=f"{currency} more or less", scale=alt.Scale(padding=80),
                axis=alt.Axis(tickCount=6, format="+,~r")),
    )  # fmt: skip
    bars = base.mark_bar(height=13).encode(
        color=alt.Color("side:N", legend=None, scale=alt.Scale(domain=list(SHADES), range=list(SHADES.values())))
    )
    left = base.mark_text(align="right", dx=-4, color=INK, fontSize=11).encode(text="label:N")
    right = base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(text="label:N")
    chart: alt.LayerChart | alt.FacetChart = alt.layer(
        bars,
        left.transform_filter(alt.datum.side == "pays less"),
        right.transform_filter(alt.datum.side == "pays more"),
    ).properties(width=560, height=alt.Step(24))
    return svg_of(chart, margin=30)
