"""Charts: drawn offline from what is in them, the same bytes every time, and readable without colour."""

from itertools import pairwise

import altair as alt
import pytest

from chargeback.ledger.assessment_page import PART_SHADES
from chargeback.ledger.charts import STATE_SHADES, stacked_days, stacked_owners, svg_of
from chargeback.ledger.statement_chart import SHADES

POINT = {"day": "02", "name": "busy", "rank": 0, "hours": "1.50"}


def lightness(colour: str) -> float:
    """How light a shade is in grey, 0 to 255."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_a_chart_may_ask_no_address_for_anything() -> None:
    chart = alt.Chart("https://example.org/hours.json").mark_bar().encode(x="day:O")

    with pytest.raises(ValueError, match="External data url not allowed"):
        svg_of(chart)


def test_the_same_points_make_the_same_bytes() -> None:
    days = stacked_days([POINT], days=["01", "02"], shades=STATE_SHADES)
    owners = stacked_owners([{**POINT, "owner": "Vision"}], owners=["Vision"], shades=STATE_SHADES)

    assert svg_of(days) == svg_of(days)
    assert svg_of(owners).startswith("<svg")
    assert "url(" not in svg_of(owners)


@pytest.mark.parametrize("shades", [tuple(STATE_SHADES.values()), tuple(PART_SHADES.values()), SHADES[:3]])
def test_shades_that_lie_on_each_other_differ_in_grey(shades: tuple[str, ...]) -> None:
    tones = [lightness(shade) for shade in shades]

    assert min(abs(below - above) for below, above in pairwise(tones)) > 40
