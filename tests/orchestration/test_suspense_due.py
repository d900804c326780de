"""On the day on which a month's suspense falls due its month is requested, once, and no other."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.names import UNATTRIBUTED
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from resources.lake import Lake
from resources.lake_records import Provenance
from tests.chargeback.worked_month import worked_lines
from tests.orchestration.test_automation import previews
from tests.orchestration.ticks import BEFORE_LAST, LAST, Ticks, estate_settings

BEFORE_DUE = datetime(2026, 11, 5, 21, 30, tzinfo=UTC)
"""September ends at 2026-09-30T22:00Z; 36 days later is 2026-11-05T22:00Z, and October is due on 6 December."""


def charged(lake: Lake, month: str, team: str) -> None:
    """One line of a team stands in a month."""
    line = worked_lines().head(1).with_columns(month=pl.lit(month), team=pl.lit(team))
    lake.replace(TEAM_CHARGES, Partition.of_month(month), line, Provenance("bill", "1", {}))


def ticks_before_due(folder: Path, *, days: int = 36, team: str = UNATTRIBUTED) -> Ticks:
    """The sensor half an hour before September's suspense falls due, with lines in September and October."""
    settings = estate_settings(folder)
    settings = replace(settings, policies=replace(settings.policies, suspense_due_days=days))
    for month in (BEFORE_LAST, LAST):
        charged(Lake(settings.location), month, team)
    ticks = Ticks(settings, now=BEFORE_DUE).begun()
    assert ticks.tick(minutes=20) == {}
    return ticks


def test_the_month_whose_suspense_falls_due_is_requested_once_and_no_other(tmp_path: Path) -> None:
    ticks = ticks_before_due(tmp_path)

    assert ticks.tick(minutes=10) == previews(BEFORE_LAST)
    assert ticks.tick() == {}


def test_a_run_of_the_month_that_is_under_way_puts_it_off_and_does_not_forget_it(tmp_path: Path) -> None:
    ticks = ticks_before_due(tmp_path)
    run = ticks.begins(["rated_usage"], BEFORE_LAST)
    assert ticks.tick(minutes=10) == {}

    ticks.ends(run)

    assert ticks.tick() == previews(BEFORE_LAST)


@pytest.mark.parametrize("case", [{"team": "vision"}, {"days": 0}, {"days": 37}])
def test_a_month_without_suspense_or_not_yet_due_is_left_alone(tmp_path: Path, case: dict[str, object]) -> None:
    ticks = ticks_before_due(tmp_path, **case)  # type: ignore[arg-type]

    assert ticks.tick(minutes=10) == {}


def test_a_closed_month_keeps_its_suspense(tmp_path: Path) -> None:
    ticks = ticks_before_due(tmp_path)
    Lake(ticks.settings.location).close_month(BEFORE_LAST, by="controller", certificate_hash="c" * 64)

    assert ticks.tick(minutes=10) == {}
