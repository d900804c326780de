"""Checks of statements: each passes on what was billed, and fails on what it is there for."""

import json

import polars as pl

from assets.materialisation import month_called
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.maps import MAPS
from chargeback.contracts.statements import STATEMENTS
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import MONTH, Estate


def test_statements_equal_charges_passes_for_every_team(billed_estate: Estate) -> None:
    assert judged("statements_equal_charges", billed_estate).is_pass


def test_statements_equal_charges_fails_for_a_total_that_is_a_cent_off(estate: Estate) -> None:
    change_first(estate, STATEMENTS, total_amount=pl.col("total_amount") + pl.lit("0.01").cast(pl.Decimal(38, 4)))

    assert judged("statements_equal_charges", estate).is_failure


def test_statements_equal_charges_fails_for_a_team_without_a_statement(estate: Estate) -> None:
    put(estate, STATEMENTS, rows_of(estate, STATEMENTS)[1:])

    judgement = judged("statements_equal_charges", estate)

    assert judgement.is_failure
    assert "no statement" in judgement.told


def test_statements_name_their_maps_passes_where_every_day_was_made_by_them(billed_estate: Estate) -> None:
    judgement = judged("statements_name_their_maps", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["days"] == 6  # runs, holds and capacity of two days


def test_statements_name_their_maps_fails_for_a_day_that_was_made_by_another_map(estate: Estate) -> None:
    put(estate, CAPACITY, rows_of(estate, CAPACITY))
    text = estate.config.read_text()
    estate.config.write_text(text.replace('scavenger = "preemptible"', 'scavenger = "standard"'))
    maps, _ = estate.workspace.people.maps(month_called(MONTH, estate.settings).period, estate.settings.maps)
    put(estate, MAPS, maps)

    judgement = judged("statements_name_their_maps", estate)

    assert judgement.is_failure
    assert sorted(judgement.findings["key"]) == [
        "capacity slurm-a|2026-03-31", "runs slurm-a|2026-03-30", "runs slurm-a|2026-03-31"
    ]  # fmt: skip
    assert "materialise the day again" in judgement.told


def with_change(estate: Estate, **change: str) -> None:
    """Make the first statement say that it had a month before."""
    rows = rows_of(estate, STATEMENTS).sort("team")
    document = json.loads(rows["document"][0])
    document["change"] = {"previous_month": "2026-02", "has_previous": True, **change}
    spelled = json.dumps(document, ensure_ascii=False, sort_keys=True)
    changed = pl.when(pl.col("team") == rows["team"][0]).then(pl.lit(spelled)).otherwise("document")
    put(estate, STATEMENTS, rows.with_columns(document=changed))


def test_statements_near_last_month_passes_without_a_month_before_and_within_the_limit(estate: Estate) -> None:
    assert judged("statements_near_last_month", estate).is_pass
    with_change(estate, previous_total="10.00", difference="10.00", hours_effect="10.00", rate_effect="0.00",
                credits_effect="0.00")  # fmt: skip
    assert judged("statements_near_last_month", estate).is_pass


def test_statements_near_last_month_fails_for_a_team_that_pays_far_more_and_names_the_cause(estate: Estate) -> None:
    with_change(estate, previous_total="10.00", difference="-10.01", hours_effect="1.00", rate_effect="-11.01",
                credits_effect="0.00")  # fmt: skip

    judgement = judged("statements_near_last_month", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert "within 100 % of 10.00 EUR" in judgement.told
    assert "-100.1 %, most of it rate (-11.01)" in judgement.told
