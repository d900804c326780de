"""Pages of a real browser at 400 px: what is wide scrolls inside itself, the page never sideways."""

import html
from pathlib import Path

import polars as pl
import pytest

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.statement_page import render_page
from chargeback.pricing.credits import CreditPolicies
from tests.chargeback.ledger.measured_usage import measured_usage
from tests.chargeback.ledger.worked_statements import measured_statements, worked_statements
from tests.chargeback.worked_month import EUR, rated_usage
from tests.ui.browser import Page, until

pytestmark = pytest.mark.debian

WIDTH = 400
FRAME = "document.getElementById('page').contentDocument.documentElement"
LONG = "a-name-that-somebody-made-up-and-that-has-no-place-at-which-it-may-be-broken-into-two-lines"


def with_long_names() -> pl.DataFrame:
    """Statements of measured usage whose jobs, users, accounts and projects have long names."""
    long = {name: pl.lit(LONG) for name in ("job_name", "user", "account", "workload", "project")}
    rated = measured_usage().with_columns(**long)
    return worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR))


def with_credits() -> pl.DataFrame:
    """Statements of the worked month with a credit, that of the suspense among them."""
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24))
    return worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR))


PAGES = {
    f"{name}, {row['team']}": render_page(row["document"])
    for name, statements in (("long", with_long_names()), ("credits", with_credits()))
    for row in statements.iter_rows(named=True)
} | {"summary": render_summary(measured_statements()["document"].to_list(), month="2026-03")}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_400_px_never_scrolls_sideways(name: str, browser: Page, tmp_path: Path) -> None:
    framed = tmp_path / "framed.html"
    page = html.escape(PAGES[name].decode(), quote=True)
    framed.write_text(f'<iframe id="page" style="border:0;width:{WIDTH}px;height:9000px" srcdoc="{page}"></iframe>')

    browser.open(framed.as_uri())
    until(lambda: browser.evaluate(f"{FRAME}.innerText.length > 200"), "the page to be there", browser.text)

    assert browser.evaluate(f"{FRAME}.clientWidth") <= WIDTH
    assert browser.evaluate(f"{FRAME}.scrollWidth") <= browser.evaluate(f"{FRAME}.clientWidth")
