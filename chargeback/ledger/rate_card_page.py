"""A rate card as one self-contained HTML page: how each rate follows from its inputs, with pictures.

Not here: any figure; the page prints what the document says.
"""

from collections.abc import Mapping, Sequence

import altair as alt

from chargeback.ledger.charts import INK, svg_of
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import templates

COMPONENT_SHADES: Mapping[str, str] = {
    "depreciation": "#0b3c6f",
    "support": "#2f6fae",
    "power": "#e0a83a",
    "space": "#8fc0ea",
    "interconnect": "#0f5c41",
    "storage": "#62a683",
    "staff": "#6b5b95",
    "software": "#b8add0",
    "carry-forward": "#b5402f",
}
_EFFECT_SHADES = ("#0f5c41", "#b5402f")


def render_rate_card(document: Document) -> bytes:
    """The page; equal documents make equal bytes."""
    accelerators = document["accelerators"]
    shown = [name for name in COMPONENT_SHADES if any(_amount(each, name) for each in accelerators)]
    page = templates().get_template("rate_card.html.jinja")
    return page.render(
        r=document,
        chart=_components(accelerators, shown, document["card"]["currency"]) if accelerators else "",
        chart_key=[(name, COMPONENT_SHADES[name]) for name in shown],
        effects=_effects(accelerators, document["card"]["currency"]) if accelerators else "",
    ).encode()


def _amount(accelerator: Document, component: str) -> bool:
    """Whether a component is anything but zero."""
    return any(
        each["name"] == component and each["per_gpu_hour"].strip("-0.") for each in accelerator["components"]
    )  # fmt: skip


def _components(accelerators: Sequence[Document], shown: Sequence[str], currency: str) -> str:
    """One stacked bar an accelerator: what each component adds to a GPU-hour."""
    points = [
        {"accelerator": each["accelerator"], "name": part["name"], "rank": rank, "value": part["per_gpu_hour"]}
        for each in accelerators
        for rank, part in enumerate(each["components"])
        if part["name"] in shown
    ]
    names = [each["accelerator"] for each in accelerators]
    chart: alt.Chart = (
        alt.Chart(_data(points))
        .mark_bar(stroke="#ffffff", strokeWidth=0.7)
        .encode(
            y=alt.Y(
                "accelerator:N",
                title=None,
                scale=alt.Scale(domain=names),
                axis=alt.Axis(labelLimit=170, ticks=False),
            ),
            x=alt.X("value:Q", title=f"{currency} per GPU-hour", axis=alt.Axis(tickCount=6, format=",~r")),
            color=alt.Color(
                "name:N",
                legend=None,
                scale=alt.Scale(domain=list(shown), range=[COMPONENT_SHADES[name] for name in shown]),
            ),
            order=alt.Order("rank:Q"),
        )
        .properties(width=560, height=alt.Step(34))
    )
    return svg_of(chart, margin=16)


def _effects(accelerators: Sequence[Document], currency: str) -> str:
    """One bar a changed input, to the left where it makes the rate cheaper, with its figure beside it."""
    points = [
        {
            "what": f"{each['accelerator']}: {effect['label']}",
            "value": effect["difference"],
            "side": "cheaper" if effect["difference"].startswith("-") else "dearer",
            "label": f"{'' if effect['difference'].startswith('-') else '+'}{effect['difference']}".replace("-", "−"),
        }
        for each in accelerators
        for effect in each["effects"]
    ]
    order = [point["what"] for point in points]
    base = alt.Chart(_data(points)).encode(
        y=alt.Y("what:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(labelLimit=300, ticks=False)),
        x=alt.X("value:Q", title=f"{currency} per GPU-hour", scale=alt.Scale(padding=70),
                axis=alt.Axis(tickCount=5, format="+,~r")),
    )  # fmt: skip
    bars = base.mark_bar(height=13).encode(
        color=alt.Color("side:N", legend=None,
                        scale=alt.Scale(domain=["cheaper", "dearer"], range=list(_EFFECT_SHADES)))
    )  # fmt: skip
    left = base.mark_text(align="right", dx=-4, color=INK, fontSize=11).encode(text="label:N")
    right = base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(text="label:N")
    chart: alt.LayerChart | alt.FacetChart = alt.layer(
        bars, left.transform_filter(alt.datum.side == "cheaper"), right.transform_filter(alt.datum.side == "dearer")
    ).properties(width=470, height=alt.Step(24))
    return svg_of(chart, margin=30)


def _data(points: Sequence[Mapping[str, str | int]]) -> alt.InlineData:
    return alt.InlineData(values=list(points), format=alt.JsonDataFormat(type="json", parse={"value": "number"}))
