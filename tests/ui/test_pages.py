"""What finance and the platform team see in the Dagster UI of a billed lake, in a real browser."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.browser import Page, until
from tests.ui.served_ui import ServedUi

pytestmark = pytest.mark.debian

Picture = Callable[[str], Path]
PICTURES = (
    "JSON.stringify([...document.images].filter(i => i.src.startsWith('data:image/svg')).map(i => i.naturalWidth))"
)
SMALLEST_PICTURE_BYTES = 10_000


def test_the_graph_shows_every_stage(served: ServedUi, browser: Page, picture: Picture) -> None:
    browser.open(f"{served.address}/asset-groups")

    browser.shows("Global asset lineage", "raw", "usage", "attribution", "pricing", "ledger")

    assert picture("graph").stat().st_size > SMALLEST_PICTURE_BYTES


def test_a_stage_shows_its_tables_in_the_order_in_which_they_are_made(
    served: ServedUi, browser: Page, picture: Picture
) -> None:
    browser.open(f"{served.address}/locations/orchestration.definitions/asset-groups/ledger/lineage")

    browser.shows(
        "team_charges", "statements", "journal_entries", "certificate", "published", "postings", "rated_usage"
    )

    assert picture("ledger").stat().st_size > SMALLEST_PICTURE_BYTES


def test_nobody_is_asked_to_sign_up_for_anything(served: ServedUi, browser: Page) -> None:
    browser.open(f"{served.address}/asset-groups")

    assert "newsletter" not in browser.shows("Global asset lineage", "ledger")


def test_a_month_shows_its_total_by_team_where_it_came_from_and_a_plot(
    served: ServedUi, browser: Page, picture: Picture
) -> None:
    browser.open(f"{served.address}/assets/team_charges?view=partitions&partition=2026-03")

    seen = browser.shows("total EUR", "amount by team", "dagster/row_count", "outcome", "content hash", "bill_month")
    picture("month")
    browser.click("[Show Markdown]")
    until(lambda: browser.evaluate(PICTURES) != "[]", "the plot", browser.text)
    picture("month-plot")

    assert "47.70" in seen  # 23.85 Vision, 19.08 NLP, and 4.77 shared as 2.86 and 1.91
    assert seen.index("total EUR") < seen.index("content hash")
    assert min(map(int, browser.evaluate(PICTURES).strip("[]").split(","))) > 300


def test_a_day_shows_where_every_gpu_hour_went_and_a_plot_of_its_hours(
    served: ServedUi, browser: Page, picture: Picture
) -> None:
    browser.open(f"{served.address}/assets/capacity?view=partitions&partition=slurm-a%7C2026-03-30")

    browser.shows("held GPU-hours", "unallocated GPU-hours", "dagster/row_count", "content hash", "outcome")
    browser.click("[Show Markdown]")
    until(lambda: browser.evaluate(PICTURES) != "[]", "the plot", browser.text)

    assert picture("day-plot").stat().st_size > SMALLEST_PICTURE_BYTES


def test_a_check_shows_its_result_at_a_partition_and_its_evidence(
    served: ServedUi, browser: Page, picture: Picture
) -> None:
    browser.open(f"{served.address}/assets/capacity?view=checks&checkDetail=capacity_conserved")

    browser.shows(
        "capacity_conserved", "Evaluation result", "Passed", "slurm-a|2026-03-3", "findings", "evidence/capacity/",
        "Each second of each GPU is in exactly one state.", "blocking",
    )  # fmt: skip

    assert picture("check").stat().st_size > SMALLEST_PICTURE_BYTES


def test_a_table_shows_its_owner_its_grain_and_what_its_columns_mean(
    served: ServedUi, browser: Page, picture: Picture
) -> None:
    browser.open(f"{served.address}/assets/team_charges?view=overview")

    browser.shows(
        "One row per statement line", "Grain: one row per statement line", "Owners", "finance", "Delta Lake", "Polars",
        "line_id", "stable id: the same line has it in every computation", "cost_centre", "non-nullable",
    )  # fmt: skip

    assert picture("table").stat().st_size > SMALLEST_PICTURE_BYTES


def test_what_bill_ran_stands_among_the_runs(served: ServedUi, browser: Page, picture: Picture) -> None:
    browser.open(f"{served.address}/runs")

    browser.shows("bill_month", "bill_cluster_day", "slurm-a|2026-03-30", "slurm-a|2026-03-31", "Success")

    assert picture("runs").stat().st_size > SMALLEST_PICTURE_BYTES
