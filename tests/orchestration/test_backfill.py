"""Days computed again: a kill loses nothing, closed months stay, what changed is told in hours and money."""

import json
import signal
import subprocess
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.backfill import BackfillOutcome, backfill
from orchestration.backfill_command import kept_page
from orchestration.backfill_memory import keep, recall
from resources.setting_kinds import SettingsRefused
from tests.estates import (
    BUSY,
    LAST_DAY,
    LATER,
    MONTH,
    OVERNIGHT,
    Estate,
    NoProgress,
    command_line,
    in_this_process,
    job,
    sacct,
)  # fmt: skip

FIRST, LAST = "2026-03-30", "2026-03-31"
LATE = job(9, "2026-03-30T09:00:00", "2026-03-30T11:00:00", account="nlp-lab")

pytestmark = pytest.mark.timeout(3600)


def backfilled(
    estate: Estate, first: str = FIRST, last: str = LAST, *, clusters: tuple[str, ...] = (), now: datetime = LATER
) -> BackfillOutcome:
    return backfill(
        first, last, workspace=estate.workspace, settings_file=estate.config, progress=NoProgress(), now=now,
        clusters=clusters, pool_of=in_this_process,
    )  # fmt: skip


def charged(estate: Estate) -> tuple[Fraction, Decimal]:
    lines = estate.workspace.lake.scan(TEAM_CHARGES, [month_partition()]).frame.collect()
    return sum(map(Fraction, lines["gpu_seconds"]), Fraction(0)), sum(lines["amount"], Decimal(0))


def month_partition() -> Partition:
    return Partition.of_month(MONTH)


def memories(estate: Estate) -> list[str]:
    return [key for key in estate.tree() if key.startswith("backfills/")]


def test_late_records_show_as_hours_and_money_that_equal_the_tables_and_a_bill_finds_nothing_more_to_do(
    estate: Estate,
) -> None:
    hours_before, amount_before = charged(estate)
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LATE, LAST_DAY), at=LATER)

    outcome = backfilled(estate)

    hours_after, amount_after = charged(estate)
    total = outcome.document["total"]
    assert (outcome.refused, outcome.failures, outcome.went_on) == ((), (), False)
    assert Fraction(total["gpu_seconds_difference"]) == hours_after - hours_before == 2 * 3600
    assert Decimal(total["amount_before"]) == amount_before
    assert Decimal(total["amount_after"]) == amount_after
    assert [row["name"] for row in outcome.document["teams"] if row["changed"]] == ["NLP"]
    assert outcome.document["held_total"]["hours_difference"] == "2.00"
    assert {each["table"] for each in outcome.document["partitions"]} >= {"raw_sacct", "attribution", "team_charges"}
    assert not estate.bill().changed


def test_nothing_new_is_told_as_nothing_changed_and_days_that_ended_are_not_run_again_but_by_other_code(
    estate: Estate,
) -> None:
    before = estate.contents()
    store = estate.workspace.store

    whole = backfilled(estate, FIRST, FIRST)
    (key,) = memories(estate)
    memory = recall(store, key)
    assert memory is not None
    cut_short = replace(memory, finished=False)
    keep(store, cut_short)
    went_on = backfilled(estate, FIRST, FIRST)
    keep(store, replace(cut_short, code_version="another"))
    by_other_code = backfilled(estate, FIRST, FIRST)

    assert memory.finished
    assert [run.partition for run in whole.runs] == ["slurm-a|2026-03-30", MONTH]
    assert [run.partition for run in went_on.runs] == [MONTH]
    assert [run.partition for run in by_other_code.runs] == ["slurm-a|2026-03-30", MONTH]
    assert [outcome.went_on for outcome in (whole, went_on, by_other_code)] == [False, True, True]
    assert not whole.document["changed"]
    assert estate.contents() == before
    page = kept_page(whole.document, estate.workspace, None)
    assert kept_page(whole.document, estate.workspace, None) == page
    assert "/reports/backfills/2026-03-30--2026-03-30-" in page
    assert "Nothing changed" in Path(page).read_text()


@pytest.mark.parametrize(
    ("first", "last", "clusters", "said"),
    [
        (LAST, FIRST, (), "write the first day first"),
        ("2026-03-29", LAST, (), "its first is 2026-03-30"),
        (FIRST, "2026-04-04", (), "the running one is 2026-04-03"),
        ("30 March", LAST, (), "'30 March' is no day"),
        (FIRST, LAST, ("slurm-b",), "cluster 'slurm-b' is not in"),
    ],
)
def test_days_and_clusters_that_the_lake_does_not_have_are_refused_before_anything_is_begun(
    billed_estate: Estate, first: str, last: str, clusters: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SettingsRefused, match=said):
        backfilled(billed_estate, first, last, clusters=clusters)

    assert memories(billed_estate) == []


def test_a_closed_month_stays_as_it_was_certified_while_its_days_are_computed(estate: Estate) -> None:
    estate.workspace.lake.close_month(MONTH, by="finance", certificate_hash="c" * 64)
    before = estate.contents()
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LATE, LAST_DAY), at=LATER)

    outcome = backfilled(estate, FIRST, FIRST)

    after = estate.contents()
    assert outcome.failures == ()
    assert (outcome.document["months"], outcome.document["closed_months"]) == ([], [MONTH])
    assert {key for key in after if key.endswith(f"|{MONTH}") and after[key] != before[key]} == set()
    assert after["attribution|slurm-a|2026-03-30"] != before["attribution|slurm-a|2026-03-30"]
    assert outcome.document["held_total"]["hours_difference"] == "2.00"


def test_a_killed_backfill_goes_on_and_compares_with_what_stood_before_its_first_start(
    estate: Estate, tmp_path: Path
) -> None:
    _, amount_before = charged(estate)
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LATE, LAST_DAY), at=LATER)
    undisturbed = estate.copied_to(tmp_path / "undisturbed")
    expected = backfilled(undisturbed)

    with subprocess.Popen(
        command_line("backfill", FIRST, LAST, "--workers", "1"), cwd=estate.folder, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        next(line for line in running.stdout if line.startswith("days: 1 of 2"))
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=60)
    (left,) = memories(estate)
    remembered = json.loads((estate.folder / "lake" / left).read_text())
    outcome = backfilled(estate)

    assert not remembered["finished"]
    assert outcome.went_on
    assert Decimal(outcome.document["total"]["amount_before"]) == amount_before
    assert outcome.document == expected.document
    assert estate.contents() == undisturbed.contents()
    assert estate.published() == undisturbed.published()
