"""Statement pages: self-contained, escaped, the same bytes every time, readable by a browser and by a screen reader."""

import re
import shutil
import subprocess
import sys
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.statement_chart import OTHERS, chart_key, chart_of_days
from chargeback.ledger.statement_page import render_page
from tests.chargeback.ledger.worked_statements import document_of, worked_statements
from tests.chargeback.worked_month import EUR, rated_usage, worked_lines

EVIL = "<script>alert(1)</script>\"'&"


class Outline(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def page_of(team: str, **changes: object) -> bytes:
    return render_page(document_of(worked_statements(**changes), team))  # type: ignore[arg-type]


def test_a_page_says_what_is_paid_for_what_and_why() -> None:
    text = Outline(page_of("NLP")).text

    for said in (
        "GPU statement · Team NLP", "March 2026", "cost centre 4712", "GPU-2026-03-nlp-r1", "PARALLEL MONTH",
        "Would be charged, net of tax", "1,196.15 EUR", "there is no statement for February 2026", "480.00", "2.385",
        "exactly 1,440.4 s", "unmeasured, not idle", "1 job : never started", "account misc", "2026.1", "unsigned",
        "in quarantine", "chargeback explain GPU-2026-03-nlp-", "write to gpu-billing@example.org", "suspended time",
        "= 0.954265, rounded once, half to even: 0.95 EUR",
    ):  # fmt: skip
        assert said in text, said


def test_an_enforced_month_bears_no_watermark() -> None:
    text = Outline(page_of("NLP", mode="enforced")).text

    assert "PARALLEL" not in text
    assert "NOT CHARGED" not in text
    assert "Charged, net of tax" in text


def test_the_change_against_last_month_is_printed_with_its_reasons() -> None:
    previous = worked_lines().filter(pl.col("tier") == "standard")

    text = Outline(page_of("NLP", previous=previous)).text

    assert "February 2026 1,145.75 EUR · up 50.40 EUR because of hours +50.40 · rate 0.00" in text


def test_several_cost_centres_have_their_own_sums() -> None:
    text = Outline(page_of("Robotics")).text

    assert "Cost centre 4713 16.18" in text
    assert "Cost centre 4714 35.80" in text
    assert "slice-hours" in text


def test_the_suspense_page_tells_who_must_clear_it_how() -> None:
    text = Outline(page_of("unattributed")).text

    assert "To whoever clears the suspense (gpu-billing@example.org)" in text
    assert "slurm-a,account,misc,PROJECT,TEAM,COST_CENTRE,COMPANY,100,2026-03-01," in text


def test_a_page_loads_nothing_from_outside_and_runs_nothing() -> None:
    for page in (page_of("Robotics"), render_summary(worked_statements()["document"].to_list(), month="2026-03")):
        outline = Outline(page)

        assert {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in outline.tags} == set()
        targets = [value for _, attrs in outline.tags for name, value in attrs.items() if name in ("src", "href")]
        assert all(value is not None and value.startswith("#") for value in targets)
        assert b"url(" not in page
        assert b"@import" not in page


def test_names_that_are_markup_are_shown_and_never_run() -> None:
    rated = rated_usage().with_columns(
        pl.lit(EVIL).alias(column) for column in ("team", "cost_centre", "project", "user", "account", "job_name",
                                                   "job_id", "accelerator")
    )  # fmt: skip
    lines = charge_lines(rated.filter(pl.col("price") == Decimal("2.385")), currency=EUR)

    statements = worked_statements(rated=rated, lines=lines)

    for page in (
        render_page(document_of(statements, EVIL)),
        render_summary([document_of(statements, EVIL)], month="2026-03"),
    ):
        assert b"<script" not in page
        assert "script" not in {tag for tag, _ in Outline(page).tags}
        assert b"&lt;script&gt;" in page


def test_equal_documents_make_equal_bytes_in_another_run_of_the_machine(tmp_path: Path) -> None:
    document = document_of(worked_statements(), "Robotics")
    (tmp_path / "document.json").write_text(document)
    program = (
        "import sys, pathlib; from chargeback.ledger.statement_page import render_page;"
        "sys.stdout.buffer.write(render_page(pathlib.Path(sys.argv[1]).read_text()))"
    )

    again = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "document.json"], capture_output=True, check=True,
        env={"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"}, cwd=Path(__file__).parents[3],
    )  # fmt: skip

    assert again.stdout == render_page(document)


def test_every_figure_column_has_a_header_and_the_chart_has_words_and_a_table() -> None:
    outline = Outline(page_of("Robotics"))

    headers = [attrs.get("scope") for tag, attrs in outline.tags if tag == "th"]
    assert None not in headers
    images = [attrs for tag, attrs in outline.tags if attrs.get("role") == "img"]
    assert len(images) == 2
    assert all(attrs.get("aria-label") for attrs in images)
    assert ("html", {"lang": "en"}) in outline.tags
    assert [tag for tag, _ in outline.tags].count("h1") == 1


def test_a_links_target_stands_on_the_page() -> None:
    outline = Outline(page_of("Robotics"))

    targets = {attrs["href"].removeprefix("#") for tag, attrs in outline.tags if tag == "a" and attrs.get("href")}  # type: ignore[union-attr]
    ids = {attrs["id"] for _, attrs in outline.tags if attrs.get("id")}

    assert targets
    assert targets <= ids


def test_a_chart_of_many_accelerators_draws_the_smallest_as_others() -> None:
    days = [{"day": "2026-03-01", "accelerator": f"A{n}", "hours": f"{10 - n}.00"} for n in range(9)]

    key = chart_key(days)

    assert [name for name, _ in key] == ["A0", "A1", "A2", "A3", "A4", OTHERS]
    assert chart_of_days(days, all_days=["2026-03-01"]).startswith("<svg")
    assert chart_of_days([], all_days=["2026-03-01"]) == ""


def test_finances_page_shows_all_teams_the_residue_and_where_every_hour_went() -> None:
    documents = worked_statements()["document"].to_list()

    page = render_summary(documents, month="2026-03")

    text = Outline(page).text
    for said in (
        "1,490.92 EUR", "+0.0106625", "853/80000", "4713: 16.18, 4714: 35.80", "Unattributed (suspense)",
        "never started", "11,888.00 568.00 192.00 0.00 11,128.00", "743.00 10.29 0.00 106.14 626.57",
    ):  # fmt: skip
        assert said in text, said
    assert render_summary(documents[::-1], month="2026-03") == page


def test_an_estate_whose_teams_do_not_add_up_is_our_own_fault_and_raises() -> None:
    documents = worked_statements()["document"].to_list()

    with pytest.raises(ValueError, match=r"teams add up to 1488.72, the estate to 1490.92"):
        render_summary(documents[:3], month="2026-03")


def test_a_month_in_which_nothing_was_held_has_a_page_too() -> None:
    assert "Nothing was held in March 2026" in Outline(render_summary([], month="2026-03")).text


@pytest.mark.debian
def test_a_statement_prints_on_two_pages_of_paper(tmp_path: Path) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    (tmp_path / "page.html").write_bytes(page_of("NLP"))

    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}",
         "--no-pdf-header-footer", f"--print-to-pdf={tmp_path / 'page.pdf'}", f"file://{tmp_path / 'page.html'}"],
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip

    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes())) == 2
