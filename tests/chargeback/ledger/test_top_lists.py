"""Lists of what lost most: by absolute hours, adding up with what is left out, safe in a spreadsheet."""

import csv
import io
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

from chargeback.ledger.exceptions import QUOTA, UNHELD
from chargeback.ledger.top_lists import GROUPED_BY, render_top_csv, top_exceptions, top_groups, top_workloads
from tests.chargeback.ledger.measured_usage import measured_usage


def test_workloads_are_listed_by_what_they_lost_with_the_sums_of_everything() -> None:
    document = top_workloads(measured_usage(), limit=2, cost_decimals=2)

    assert [(row["workload_name"], row["hours"]) for row in document["rows"]] == [
        ("sweep-a", "1000.00"), ("Notebook/n9", "410.00"),
    ]  # fmt: skip
    assert (document["total"]["hours"], document["total"]["lost_hours"]) == ("3185.00", "1500.00")


@pytest.mark.parametrize("by", sorted(GROUPED_BY))
def test_what_a_list_leaves_out_stands_in_one_row_so_that_it_adds_up(by: str) -> None:
    document = top_groups(measured_usage(), by=by, limit=1)

    rows = [*document["rows"], document["further"]]
    assert sum(Fraction(row["gpu_seconds"]) for row in rows) == Fraction(document["total"]["gpu_seconds"])
    assert len(document["rows"]) == 1


def test_groups_are_named_as_people_call_them() -> None:
    names = {by: top_groups(measured_usage(), by=by, limit=1)["rows"][0]["name"] for by in GROUPED_BY}

    assert names == {
        "user": "ana01 · vision-lab · Vision", "team": "Vision", "class": "batch", "accelerator": "H100 SXM5 80 GB",
        "cluster": "slurm-a",
    }  # fmt: skip


def test_a_name_that_is_a_formula_stays_text_in_the_spreadsheet_and_hours_stay_numbers() -> None:
    rated = measured_usage(workload="=cmd|'/C calc'!A0")

    content = render_top_csv(top_workloads(rated, limit=1, cost_decimals=2), by="workload")

    (row,) = csv.DictReader(io.StringIO(content.decode(), newline=""))
    assert row["workload_name"] == "'=cmd|'/C calc'!A0"
    assert Decimal(row["hours"]) == 1000
    assert row["is_estimate"] == "no"


def test_groups_have_a_spreadsheet_too() -> None:
    content = render_top_csv(top_groups(measured_usage(), by="team", limit=5), by="team")

    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [(row["name"], row["lost_hours"], row["node_hours"]) for row in rows] == [
        ("Vision", "1465.00", ""), ("NLP", "35.00", ""),
    ]  # fmt: skip


def test_what_nobody_held_and_quota_without_pods_are_listed_and_never_called_idle() -> None:
    row = ("k8s-b", "gpu07", "GPU-1", "a100-sxm4-80gb", 3_600_000, 10**12, "2026-03-05", "2026-03-05", "ml/x")
    unheld = pl.DataFrame([row], schema=UNHELD, orient="row")
    days = [("k8s-b", f"2026-03-0{day}", "ml", "Job/train", "team-a", 3_600 * day) for day in (5, 6)]

    document = top_exceptions(unheld, pl.DataFrame(days, schema=QUOTA, orient="row"), limit=5)
    rows = list(csv.DictReader(io.StringIO(render_top_csv(document, by="exceptions").decode(), newline="")))

    assert [(row["kind"], row["where"], row["what"], row["hours"], row["detail"]) for row in rows] == [
        ("worked, held by nobody", "gpu07", "GPU-1", "1.00", "ml/x"),
        ("quota without pods", "ml", "Job/train", "11.00", "team-a"),
    ]
    assert (rows[1]["first_day"], rows[1]["last_day"]) == ("2026-03-05", "2026-03-06")
    assert all("idle" not in value for row in rows for value in row.values())
