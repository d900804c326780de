"""Charts described with altair and drawn to inline SVG by vl-convert: offline, the same bytes every time.

Colours differ in lightness too, so that a chart can be read in grey. Not here: the table of the same figures for those
who cannot see it (the templates), what is drawn (statement_chart.py, assessment_page.py).
"""

from collections.abc import Mapping, Sequence

import altair as alt
import vl_convert

VEGA_LITE = "6.4"
"""The version that altair 6.3 writes."""

INK, SOFT, LINE, GRID = "#1b1f24", "#59636e", "#8b949e", "#e4e8ec"
STATE_SHADES = {"busy": "#0f5c41", "starved": "#e0a83a", "idle": "#b5402f", "unmeasured": "#dfe3e8"}

Points = Sequence[Mapping[str, str | int]]


def svg_of(chart: alt.Chart | alt.LayerChart | alt.FacetChart, *, margin: int = 2) -> str:
    """Draw a chart. Everything that it shows is in it: no address may be asked for anything.

    A browser without the font draws wider letters: `margin` is the room for names at the edge.
    """
    dressed = (
        chart.properties(padding={"left": margin, "right": margin, "top": 2, "bottom": 2}, background="transparent")
        .configure(font="Liberation Sans")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=SOFT, titleColor=SOFT, titleFontWeight="normal", domainColor=LINE, gridColor=GRID
        )
    )  # fmt: skip
    return str(vl_convert.vegalite_to_svg(dressed.to_dict(), vl_version=VEGA_LITE, allowed_base_urls=[]))


def stacked_days(points: Points, *, days: Sequence[str], shades: Mapping[str, str]) -> alt.Chart:
    """One stacked bar a day, the first of `shades` at the bottom; days without a point stay empty.

    Input: points of day (`07`), name (of `shades`), rank (place in the stack) and hours, a decimal text.
    """
    chart: alt.Chart = (
        alt.Chart(_data(points))
        .mark_bar(stroke="#ffffff", strokeWidth=0.7)
        .encode(
            x=alt.X(
                "day:O",
                title=None,
                scale=alt.Scale(domain=list(days)),
                axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap="greedy"),
            ),
            y=alt.Y("hours:Q", aggregate="sum", title="GPU-hours", axis=alt.Axis(tickCount=4, format=",~r")),
            color=alt.Color(
                "name:N", legend=None, scale=alt.Scale(domain=list(shades), range=list(shades.values()))
            ),
            order=alt.Order("rank:Q"),
        )
        .properties(width=690, height=110)
    )  # fmt: skip
    return chart


def stacked_owners(points: Points, *, owners: Sequence[str], shades: Mapping[str, str]) -> alt.Chart:
    """One stacked bar an owner, in the order given, the first of `shades` at the left.

    Input: points of owner, name (of `shades`), rank (place in the stack) and hours, a decimal text.
    """
    chart: alt.Chart = (
        alt.Chart(_data(points))
        .mark_bar(stroke="#ffffff", strokeWidth=0.7)
        .encode(
            y=alt.Y(
                "owner:N", title=None, scale=alt.Scale(domain=list(owners)), axis=alt.Axis(labelLimit=150, ticks=False)
            ),
            x=alt.X("hours:Q", aggregate="sum", title="GPU-hours", axis=alt.Axis(tickCount=6, format=",~r")),
            color=alt.Color(
                "name:N", legend=None, scale=alt.Scale(domain=list(shades), range=list(shades.values()))
            ),
            order=alt.Order("rank:Q"),
        )
        .properties(width=600, height=alt.Step(26))
    )  # fmt: skip
    return chart


def _data(points: Points) -> alt.InlineData:
    return alt.InlineData(values=list(points), format=alt.JsonDataFormat(type="json", parse={"hours": "number"}))
