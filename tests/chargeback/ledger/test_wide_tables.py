"""On a narrow screen a table scrolls inside itself: every table of every page stands in a box that can."""

from pathlib import Path

import pytest

import chargeback.ledger

TEMPLATES = sorted(Path(chargeback.ledger.__path__[0]).glob("*.html.jinja"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: file.name)
def test_every_table_stands_in_a_box_that_scrolls(template: Path) -> None:
    before_tables = template.read_text().split("<table")[:-1]

    assert [each[-60:] for each in before_tables if not each.rstrip().endswith('<div class="wide">')] == []


def test_the_box_scrolls_on_a_screen_of_any_width() -> None:
    style = (TEMPLATES[0].parent / "style.css.jinja").read_text()

    assert ".wide{overflow-x:auto}" in style.partition("@media")[0]
