"""The two-week assessment: each verdict by its printed rule, figures that add up, and a page that stands alone."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from chargeback.ledger.assessment import SHOWN_OWNERS, assessment
from chargeback.ledger.assessment_page import render_assessment
from chargeback.ledger.assessment_verdict import (
    COMFORTABLE_ACTIVE_PERCENT,
    ENOUGH_COVERAGE_PERCENT,
    MANY_OWNERS,
    OWNER_FROM_PERCENT,
    TOO_LITTLE_BELOW_GPUS,
    Measures,
    rules,
    verdict,
)
from chargeback.ledger.statement_document import Document, canonical_json
from tests.chargeback.ledger.measured_usage import MONTH, measured_usage
from tests.chargeback.ledger.test_statement_page import Outline
from tests.chargeback.ledger.worked_statements import worked_capacity
from tests.chargeback.worked_month import EUR

DAYS = [f"2026-03-{day:02d}" for day in range(1, 15)]
HEAD = MONTH.strip().splitlines()[0]


def measured(
    *, gpus: int = 100, seen: str = "0.95", active: str | None = "0.40", owners: int = MANY_OWNERS
) -> Measures:
    return Measures(Fraction(gpus), Fraction(seen), Fraction(active) if active else None, owners)


def assessed(rated: pl.DataFrame | None = None, **changes: object) -> Document:
    asked = {
        "days": DAYS, "day_seconds": 14 * 86_400, "clusters": ["slurm-a", "k8s-b"], "grouped_by": "team",
        "price": Decimal("2.40"), "currency": EUR, **changes,
    }  # fmt: skip
    return assessment(measured_usage() if rated is None else rated, worked_capacity(), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measures", "answer", "title"),
    [
        (measured(gpus=0, seen="0", active=None), "no", "You do not need this: nothing was held."),
        (measured(gpus=7), "no", "You do not need this: 7.0 GPUs were held on average."),
        (measured(seen="0.49"), "not known", "Nobody can say yet: telemetry saw 49.0 % of the held hours."),
        (measured(seen="0", active=None), "not known", "Nobody can say yet: telemetry saw 0.0 % of the held hours."),
        (measured(active="0.70", owners=2), "no", "You do not need this: 70.0 % of the measured hours were active."),
        (measured(active="0.70", owners=3), "perhaps", "Not against waste: 70.0 % of the measured hours were active."),
        (measured(active="0.69", owners=2), "perhaps",
         "Mend the waste first: 69.0 % of the measured hours were active."),
        (measured(active="0.69", owners=3), "yes",
         "This pays: 69.0 % of the measured hours were active, and 3 owners share the GPUs."),
    ],
)  # fmt: skip
def test_each_verdict_follows_from_its_measures_at_the_very_threshold(
    measures: Measures, answer: str, title: str
) -> None:
    said = verdict(measures)

    assert (said["answer"], said["title"]) == (answer, title)
    assert said["reason"].endswith(".")


def test_the_thresholds_are_printed_beside_what_was_measured() -> None:
    printed = {rule["name"]: (rule["measured"], rule["threshold"]) for rule in rules(measured(owners=1))}

    assert printed == {
        "GPUs held on average": ("100.0", f"below {TOO_LITTLE_BELOW_GPUS} is too little to account for"),
        "held hours that telemetry saw": (
            "95.0 %", f"below {ENOUGH_COVERAGE_PERCENT} % nothing can be said about use",
        ),
        "active of the measured hours": ("40.0 %", f"from {COMFORTABLE_ACTIVE_PERCENT} % the GPUs are well used"),
        "owners with 5 % of the held hours or more": (
            "1", f"below {MANY_OWNERS} they can agree without an invoice",
        ),
    }  # fmt: skip


def test_the_thresholds_that_the_documents_name_are_those_that_decide() -> None:
    text = (Path(__file__).parents[3] / "docs" / "connecting-your-cluster.md").read_text(encoding="utf-8")

    for said in (
        f"below {TOO_LITTLE_BELOW_GPUS}: not needed", f"below {ENOUGH_COVERAGE_PERCENT} %: nobody can say yet",
        f"from {COMFORTABLE_ACTIVE_PERCENT} %: well used", f"owners with {OWNER_FROM_PERCENT} % of the held hours",
    ):  # fmt: skip
        assert said in text, said


def test_what_is_measured_is_what_was_held_on_average_seen_active_and_by_whom() -> None:
    measures = {rule["name"]: rule["measured"] for rule in assessed()["rules"]}

    assert list(measures.values()) == ["9.5", "95.1 %", "50.5 %", "1"]  # 3,185 hours in 336; NLP is a guest with 4.9 %


def test_one_point_of_utilisation_is_a_hundredth_of_what_was_held_at_the_price_given() -> None:
    point = assessed()["point"]

    assert (point["hours"], point["worth"]) == ("31.85", "76.44")
    assert (point["hours_a_year"], point["worth_a_year"]) == ("830.38", "1992.90")


def test_without_a_price_everything_is_told_in_gpu_hours_alone() -> None:
    document = assessed(price=None)

    assert (document["price"], document["point"]["worth"], document["lost"]["worth_a_year"]) == ("", "", "")
    text = Outline(render_assessment(document)).text
    assert "31.85 GPU-hours; a year at this pace 830.38" in text
    assert "EUR" not in text


def test_allocated_stands_against_consumed_for_every_owner_and_adds_up() -> None:
    document = assessed()

    assert [(row["name"], row["hours"], row["consumed_hours"]) for row in document["owners"]] == [
        ("Vision", "3030.00", "1184.00"), ("NLP", "155.00", "40.00"),
    ]  # fmt: skip
    assert document["total"]["consumed_per_cent"] == "40.4"
    for row in document["owners"]:
        parts = ("consumed_hours", "not_consumed_hours", "unmeasured_hours")
        assert sum(Decimal(row[part]) for part in parts) == Decimal(row["hours"])


def test_where_no_ownership_was_landed_accounts_and_namespaces_stand_for_teams() -> None:
    rated = measured_usage(team="unattributed").with_columns(
        account=pl.when(pl.col("run") != "u1").then("account")
    )  # fmt: skip

    document = assessed(rated, grouped_by="account")

    assert [row["name"] for row in document["owners"]] == ["vision-lab", "nlp-lab", "(no account)"]
    assert "accounts and namespaces stand for teams" in Outline(render_assessment(document)).text


def test_nobody_is_no_owner() -> None:
    document = assessed(measured_usage(team="unattributed"))

    assert document["rules"][-1]["measured"] == "0"


def test_owners_beyond_the_picture_stand_as_one_row() -> None:
    rows = [f"t{n}  2026-03-02  gpu01  w  batch  u  Team{n:02d}  1  0  {40 - n}  0  0  8  0" for n in range(15)]

    document = assessed(measured_usage("\n".join([HEAD, *rows])))

    assert len(document["owners"]) == SHOWN_OWNERS
    assert document["further"]["name"] == "3 further"
    held = [Fraction(row["gpu_seconds"]) for row in [*document["owners"], document["further"]]]
    assert sum(held) == Fraction(document["total"]["gpu_seconds"])


def test_days_that_could_not_be_computed_are_said() -> None:
    text = Outline(render_assessment(assessed(days_missing=2))).text

    assert "2 days of a cluster could not be computed and are missing in every figure" in text


def test_nothing_held_makes_a_page_too() -> None:
    text = Outline(render_assessment(assessed(measured_usage().clear()))).text

    assert "You do not need this: nothing was held." in text


def test_the_page_loads_nothing_runs_nothing_and_is_the_same_twice() -> None:
    page = render_assessment(assessed())

    outline = Outline(page)
    assert {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in outline.tags} == set()
    assert b"url(" not in page
    assert all(attrs.get("aria-label") for _, attrs in outline.tags if attrs.get("role") == "img")
    assert page == render_assessment(assessed(measured_usage().reverse()))
    assert len(page) < 200_000


def test_the_document_holds_texts_and_whole_numbers_only() -> None:
    canonical_json(assessed())  # raises for a float


def test_names_that_are_markup_are_shown_and_never_run() -> None:
    page = render_assessment(assessed(measured_usage(team="<script>alert(1)</script>", workload="<b>x")))

    assert b"<script" not in page
    assert b"&lt;script&gt;" in page
