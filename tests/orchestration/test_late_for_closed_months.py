"""What arrives late for a closed month: its days follow, the month does not, and an open month books the difference."""

import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from assets.closed_months import closed_months
from chargeback.contracts.contract import Contract
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.partition import Partition
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import booked_total
from chargeback.ledger.corrections_csv import render_corrections_csv
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from chargeback.ledger.team_sides import on_teams
from orchestration.open_partitions import open_partitions
from orchestration.statement import print_statement
from orchestration.touched import touched_partitions
from resources.lake import Lake
from tests.estates import INPUTS, LATER, MONTH, Estate, job, sacct
from tests.orchestration.ticks import LAST, NOON, RUNNING, Ticks, estate_settings

APRIL = "2026-04"
LATE = job(5, "2026-03-31T12:00:00", "2026-03-31T14:00:00")  # two hours at 2.385 EUR
PRACTICE = '\n[corrections]\nparallel_months = "corrected"\nstyle = "reversal"\n'


@pytest.fixture
def closed(estate: Estate) -> Estate:
    """March, closed, in a lake that corrects parallel months too."""
    with estate.config.open("a") as file:
        file.write(PRACTICE)
    estate.workspace.lake.close_month(MONTH, by="Bo Chen", certificate_hash="c0ffee")
    return estate


def rows(estate: Estate, contract: Contract, month: str = APRIL) -> pl.DataFrame:
    """What stands in a month."""
    return estate.workspace.lake.scan(contract, [Partition.of_month(month)]).frame.collect()


def test_a_late_record_of_a_closed_month_is_on_the_next_statement_in_its_journal_and_in_focus(closed: Estate) -> None:
    before = rows(closed, TEAM_CHARGES, MONTH)
    closed.land("slurm/sacct", sacct(LATE), at=LATER)

    outcome = closed.bill(APRIL)

    assert "slurm-a|2026-03-31" in {run.partition for run in outcome.days_run}
    assert rows(closed, TEAM_CHARGES, MONTH).equals(before)
    (correction,) = rows(closed, CORRECTIONS).iter_rows(named=True)
    said = next(line for line in before.iter_rows(named=True) if line["line_id"] == correction["line_id"])
    assert (correction["team"], correction["reason"], correction["corrects_month"]) == ("Vision", "late usage", MONTH)
    assert correction["stood_amount"] == said["amount"]
    assert correction["amount"] == Decimal("4.77")

    (document,) = rows(closed, STATEMENTS).filter(team="Vision")["document"]
    total = rows(closed, STATEMENTS).filter(team="Vision")["total_amount"][0]
    assert total == booked_total(rows(closed, CORRECTIONS)) == Decimal("4.77")
    assert b"Corrections of earlier months" in render_page(document)
    assert render_pdf(document).startswith(b"%PDF")
    assert b",4.77," in (render_corrections_csv(document) or b"")
    assert b"Corrections" in render_summary(list(rows(closed, STATEMENTS)["document"]), month=APRIL)
    entries = rows(closed, JOURNAL_ENTRIES)
    assert set(entries["kind"]) == {"reversal", "correction"}
    assert sum(on_teams(entries)["amount"], Decimal(0)) == total
    focus = rows(closed, FOCUS_COST_AND_USAGE).filter(ChargeClass="Correction")
    assert focus.select("x_CorrectsMonth", "x_WouldBeBilledCost").rows() == [(MONTH, total)]

    shown = Console(record=True, width=200, file=io.StringIO())
    print_statement(json.loads(document), shown)
    assert "corrections of earlier months" in shown.export_text()

    again = closed.bill(MONTH)
    assert (again.month_run, again.refused, again.failures) == (None, (), ())


def test_billing_a_closed_month_works_late_records_into_its_days_and_says_who_books_them(closed: Estate) -> None:
    before = rows(closed, STATEMENTS, MONTH)
    closed.land("slurm/sacct", sacct(LATE), at=LATER)

    outcome = closed.bill(MONTH)

    assert outcome.month_run is None
    assert outcome.failures == ()
    assert len(outcome.refused) == 1
    assert "2026-03 is closed and may not change" in outcome.refused[0]
    assert "chargeback bill 2026-04" in outcome.refused[0]
    assert rows(closed, STATEMENTS, MONTH).equals(before)


def test_days_of_a_closed_month_may_be_computed_and_the_month_may_not(closed: Estate) -> None:
    days, months = open_partitions(closed.workspace, LATER)

    assert days == ["2026-03-30", "2026-03-31", "2026-04-01", "2026-04-02", "2026-04-03"]
    assert months == [APRIL]


def test_a_late_object_touches_the_days_of_a_closed_month_and_no_month(closed: Estate) -> None:
    key = closed.land("slurm/sacct", sacct(LATE), at=LATER)
    workspace = closed.workspace
    (arrived,) = [each for each in workspace.landing.objects("slurm/sacct", "slurm-a") if each.key == key]

    touched = touched_partitions([arrived], workspace=workspace, now=LATER)

    assert set(touched.days) == {"slurm-a|2026-03-31"}
    assert touched.months == {}


@pytest.mark.parametrize(
    ("source", "file", "old", "new"),
    [
        ("ownership", "ownership.csv", "vision-lab,", "vision-lab-2,"),
        ("rate-cards", "rate-card.yaml", "2.385", "2.500"),
    ],
)
def test_a_file_of_people_that_changes_a_closed_month_asks_for_corrections_of_the_open_one(
    closed: Estate, source: str, file: str, old: str, new: str
) -> None:
    text = (INPUTS / file).read_text()
    assert old in text
    changed = text.replace(old, new).replace('version: "2026.1"', 'version: "2026.2"')
    key = closed.land(source, changed.encode(), at=LATER, extension=file.partition(".")[2])
    workspace = closed.workspace
    (arrived,) = [each for each in workspace.landing.objects(source, None) if each.key == key]

    touched = touched_partitions([arrived], workspace=workspace, now=LATER)

    assert MONTH not in touched.months
    assert "corrections" in touched.months[APRIL]


def closed_at(ticks: Ticks, month: str) -> None:
    """A month is closed on every month table."""
    Lake(ticks.settings.location).close_month(month, by="Bo Chen", certificate_hash="c0ffee")


def test_a_changed_day_of_a_closed_month_requests_the_open_months_corrections_and_never_the_closed_month(
    tmp_path: Path,
) -> None:
    ticks = Ticks(estate_settings(tmp_path, first_day=date(2026, 10, 1)))
    closed_at(ticks, LAST)
    ticks.begun()

    ticks.stands("attribution", "slurm-a|2026-10-05")
    requested = ticks.tick()

    assert requested["corrections"] == {RUNNING}
    assert requested["statements"] == requested["journal_entries"] == {RUNNING}
    assert not any(LAST in partitions for partitions in requested.values())
    assert ticks.tick() == {}


def test_a_changed_day_of_an_open_month_is_no_late_one(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path, first_day=date(2026, 9, 28)))
    closed_at(ticks, "2026-09")
    ticks.begun()

    ticks.stands("attribution", "slurm-a|2026-11-02")

    assert RUNNING in ticks.tick()["corrections"]
    assert closed_months(Lake(ticks.settings.location)) == ("2026-09",)
    assert ticks.now > NOON
