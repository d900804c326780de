"""Totals and plots that stand in the metadata of a materialisation, as inline SVG. Not here: charts of statements."""

import base64
from decimal import Decimal
from fractions import Fraction

import altair as alt
import dagster as dg
import polars as pl

from chargeback.contracts.capacity import STATES
from chargeback.ledger.charts import svg_of

_EDGE = 56
"""Room for wider letters than ours, in pixels."""

_COLOURS = {
    "held": "#1a7f5a",
    "out_of_service_planned": "#7b5ea7",
    "out_of_service_unplanned": "#c0392b",
    "reserved_unused": "#c98a00",
    "blocked": "#6b7280",
    "unknown": "#e07b39",
    "unallocated": "#d5dbe1",
}


def capacity_report(capacity: pl.DataFrame) -> dict[str, dg.MetadataValue]:
    """GPU-hours by state, and a plot of the day by hour."""
    hours = capacity.group_by("hour_start").agg(_gpu_hours(state) for state in STATES).sort("hour_start")
    totals = {state: hours[state].sum() for state in STATES}
    report: dict[str, dg.MetadataValue] = {
        f"{state.replace('_', ' ')} GPU-hours": dg.MetadataValue.float(round(float(total), 2))
        for state, total in totals.items()
        if total
    }
    if len(hours):
        report["plot"] = _plot(_hours_by_state(hours, [state for state in STATES if totals[state]]))
    return report


def _hours_by_state(hours: pl.DataFrame, seen: list[str]) -> alt.Chart:
    """Bars of hours, held at the bottom; only the states that were seen have a place in the legend."""
    shades = alt.Scale(domain=[state.replace("_", " ") for state in seen], range=[_COLOURS[state] for state in seen])
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=_points(hours)))
        .mark_bar(width={"band": 1})
        .encode(
            x=alt.X("hour:O", title="hour of the day", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("gpus:Q", stack="zero", title="GPUs"),
            color=alt.Color("state:N", title=None, scale=shades, legend=alt.Legend(labelLimit=220)),
            order=alt.Order("from the bottom:Q"),
        )
    )
    return chart


def _points(hours: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {
            "hour": at,
            "state": state.replace("_", " "),
            "gpus": float(row[state]),
            "from the bottom": STATES.index(state),
        }
        for at, row in enumerate(hours.iter_rows(named=True))
        for state in STATES
        if row[state]
    ]


def rated_report(rated: pl.DataFrame) -> dict[str, dg.MetadataValue]:
    """GPU-hours held, and how many rows have no price or no owner."""
    sums = rated.group_by("gpu_seconds_denominator").agg(pl.col("gpu_seconds_numerator").sum())
    held = sum((Fraction(n, d) for d, n in sums.iter_rows()), Fraction(0))
    return {
        "GPU-hours held": dg.MetadataValue.float(round(float(held / 3600), 2)),
        "rows without a price": dg.MetadataValue.int(rated["price"].null_count()),
        "rows without an owner": dg.MetadataValue.int(len(rated.filter(pl.col("team") == "unattributed"))),
    }


def charges_report(lines: pl.DataFrame) -> dict[str, dg.MetadataValue]:
    """Money totals by team, and a plot of them."""
    amounts: dict[str, Decimal] = {}
    for team, amount in lines.select("team", "amount").sort("team").iter_rows():
        amounts[team] = amounts.get(team, Decimal(0)) + amount
    total = sum(amounts.values(), Decimal(0))
    currency = lines["currency"][0] if len(lines) else ""
    return {
        f"total {currency}".strip(): dg.MetadataValue.text(f"{total:.2f}"),
        "amount by team": dg.MetadataValue.json({team: f"{amount:.2f}" for team, amount in amounts.items()}),
        "plot": _plot(_amounts_by_team(amounts, currency)),
    }


def _amounts_by_team(amounts: dict[str, Decimal], currency: str) -> alt.Chart:
    points = [{"team": team, "amount": float(amount)} for team, amount in amounts.items()]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=points))
        .mark_bar()
        .encode(y=alt.Y("team:N", sort="-x", title=None), x=alt.X("amount:Q", title=currency))
    )
    return chart


def _gpu_hours(state: str) -> pl.Expr:
    return (pl.col(f"{state}_unit_seconds") / pl.col("units_per_gpu") / 3600).sum().alias(state)


def _plot(chart: alt.Chart) -> dg.MetadataValue:
    """A chart as SVG inside Markdown: no file, no network."""
    svg = svg_of(chart.properties(width=420, height=180), margin=_EDGE)
    return dg.MetadataValue.md(f"![plot](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})")
