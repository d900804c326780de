"""Checks of statements: each passes on what was billed, and fails on what it is there for."""

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
