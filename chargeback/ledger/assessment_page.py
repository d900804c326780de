"""An assessment as one self-contained HTML page with a picture.

Not here: any figure; the page prints what the document says.
"""

from collections.abc import Sequence

from chargeback.ledger.charts import stacked_owners, svg_of
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import templates

PART_SHADES = {"consumed": "#0b3c6f", "held and not consumed": "#6aa5d8", "unmeasured": "#dfe3e8"}
_COLUMN_OF = {"consumed": "consumed", "held and not consumed": "not_consumed", "unmeasured": "unmeasured"}


def render_assessment(document: Document) -> bytes:
    """The page; equal documents make equal bytes."""
    page = templates().get_template("assessment.html.jinja")
    return page.render(a=document, chart=_chart(document["owners"]), chart_key=list(PART_SHADES.items())).encode()


def _chart(owners: Sequence[Document]) -> str:
    """Allocated against consumed, an owner a bar. '' where nothing was held."""
    if not owners:
        return ""
    points = [
        {"owner": owner["name"], "name": part, "rank": rank, "hours": owner[f"{_COLUMN_OF[part]}_hours"]}
        for owner in owners
        for rank, part in enumerate(PART_SHADES)
    ]
    drawn = stacked_owners(points, owners=[owner["name"] for owner in owners], shades=PART_SHADES)
    return svg_of(drawn, margin=16)
