"""The worked month by the commands that people type, and once more by the jobs that the UI runs.

Every figure is compared with the month computed by hand: tests/golden/worked_month_inputs/.
"""

import csv
import json
import shutil
import subprocess
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.materialisation import month_called
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.partition import Partition
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.definitions import definitions_for
from orchestration.jobs import MONTH_JOB
from tests.chargeback.worked_month import lines_as_text
from tests.estates import EXTRACTED_AT, INPUTS, MONTH, Estate, command_line, prepared
from tests.orchestration.test_jobs_of_the_ui import assert_the_ui_makes_the_same

pytestmark = pytest.mark.timeout(1200)  # two whole months of runs, on machines of any speed

EXPECTED = json.loads((INPUTS / "expected.json").read_text())
HLEDGER = shutil.which("hledger")
LANDED = {"slurm/sacct": "sacct.psv", "slurm/nodes": "nodes.txt", "slurm/events": "events.psv",
          "ownership": "ownership.csv", "rate-cards": "rate-card.yaml"}  # fmt: skip
INIT = ("--root", "lake", "--cluster", "slurm-a", "--zone", "UTC", "--billing-zone", "Europe/Amsterdam",
        "--currency", "EUR", "--first-day", "2026-03-01")  # fmt: skip


def by_the_commands(folder: Path) -> None:
    """init, edit the file as its comments say, land, bill; what each said is kept beside the lake."""
    folder.mkdir()
    said = {"init": _said(folder, "init", *INIT)}
    config = folder / "chargeback.toml"
    lines = config.read_text().replace('# scavenger = "preemptible"', 'scavenger = "preemptible"')
    config.write_text(lines.replace("# h100 = ", 'a100 = "a100-sxm4-80gb"\nh100 = '))
    for source, name in LANDED.items():
        cluster = ("--cluster", "slurm-a") if source.startswith("slurm/") else ()
        extracted = ("--extracted-at", f"{EXTRACTED_AT:%Y-%m-%dT%H:%M:%SZ}")
        said[name] = _said(folder, "land", str(INPUTS / name), "--source", source, *cluster, *extracted)
    said["bill"] = _said(folder, "bill", MONTH)
    (folder / "said.json").write_text(json.dumps(said))


def _said(folder: Path, *arguments: str) -> str:
    done = subprocess.run(command_line(*arguments), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def march(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """The worked month, billed by the commands."""
    return prepared(tmp_path_factory, "worked-month", by_the_commands)


@pytest.fixture(scope="module")
def lines(march: Estate) -> pl.DataFrame:
    """Its statement lines."""
    return march.workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect()


def document_of(march: Estate, kind: str) -> Path:
    """Where a published document of a kind lies."""
    rows = march.workspace.lake.scan(PUBLISHED, [Partition.of_month(MONTH)]).frame.collect()
    return march.folder / "lake" / rows.filter(pl.col("kind") == kind)["object"][0]


def test_the_worked_month_becomes_the_right_bill_line_by_line(lines: pl.DataFrame) -> None:
    with (INPUTS / "expected-lines.csv").open() as file:
        expected = [tuple(row) for row in csv.reader(file)][1:]

    assert lines_as_text(lines) == expected


def test_teams_and_total_are_sums_of_rounded_lines_and_the_residue_is_exact(lines: pl.DataFrame) -> None:
    by_team = {team: str(amount.quantize(Decimal("0.01"))) for team, amount in
               lines.group_by("team").agg(pl.col("amount").sum()).iter_rows()}  # fmt: skip
    residue = sum(map(Fraction, lines["amount"]), Fraction(0)) - sum(map(Fraction, lines["exact_amount"]), Fraction(0))

    assert by_team == EXPECTED["teams"]
    assert lines["amount"].sum() == Decimal(EXPECTED["total"])
    assert abs(residue) == Fraction(EXPECTED["residue_against_unrounded"])


@pytest.mark.parametrize("accelerator", sorted(EXPECTED["conservation_gpu_seconds"]))
def test_every_second_of_every_gpu_of_the_month_is_in_one_state(march: Estate, accelerator: str) -> None:
    days = month_called(MONTH, march.settings).days
    rows = march.workspace.lake.scan(CAPACITY, days).frame.filter(pl.col("accelerator") == accelerator).collect()

    seconds = {name: _gpu_seconds(rows, name) for name in ("capacity", *STATES)}

    planned, unplanned = seconds.pop("out_of_service_planned"), seconds.pop("out_of_service_unplanned")
    found = {**seconds, "out_of_service": planned + unplanned}
    expected = EXPECTED["conservation_gpu_seconds"][accelerator]
    assert {name: str(found[name]) for name in expected} == expected
    assert found["reserved_unused"] == found["unknown"] == 0
    assert found.pop("capacity") == sum(found.values())


def _gpu_seconds(rows: pl.DataFrame, state: str) -> Fraction:
    sums = rows.group_by("units_per_gpu").agg(pl.col(f"{state}_unit_seconds").sum())
    return sum((Fraction(seconds, units) for units, seconds in sums.iter_rows()), Fraction(0))


def test_the_command_says_what_each_team_would_pay_that_it_adds_up_and_where_to_look(march: Estate) -> None:
    said = json.loads((march.folder / "said.json").read_text())["bill"]

    for amount in ("€1,196.15", "€51.98", "€240.59", "€2.20", "€1,490.92"):
        assert amount in said
    assert "telemetry      none: 708.29 GPU-hours unmeasured, not idle" in said
    assert "not charged    1 never started" in said
    assert "= capacity 18,575.00 GPU-hours; difference 0 s" in said
    assert "gate           passed" in said
    assert "vision/statement.html" in said


def test_a_second_bill_changes_no_byte_of_the_lake_and_says_so(march: Estate, tmp_path: Path) -> None:
    estate = march.copied_to(tmp_path / "again")
    before = estate.tree()

    done = estate.command("bill", MONTH)

    assert done.returncode == 0, done.stderr
    assert "nothing changed: 31 days and the month stand as they were billed before" in done.stdout
    assert estate.tree() == before


def test_the_journal_that_was_let_out_balances_to_the_cent(march: Estate) -> None:
    with document_of(march, "journal").open(newline="") as file:
        rows = list(csv.DictReader(file))

    sides = {side: sum(Decimal(row["amount"]) for row in rows if row["side"] == side) for side in ("debit", "credit")}

    assert sides == {"debit": Decimal("1490.92"), "credit": Decimal("1490.92")}
    assert {row["status"] for row in rows} == {"withheld"}


@pytest.mark.debian
@pytest.mark.skipif(HLEDGER is None, reason="hledger is not installed (Debian package hledger)")
def test_hledger_accepts_the_journal_and_finds_that_it_balances(march: Estate) -> None:
    file = str(document_of(march, "ledger file"))

    checked = subprocess.run([HLEDGER or "", "-f", file, "check"], capture_output=True, text=True, check=False)
    balance = subprocess.run([HLEDGER or "", "-f", file, "balance", "--no-elide", "-O", "csv"], capture_output=True,
                             text=True, check=True)  # fmt: skip

    assert checked.returncode == 0, checked.stderr
    assert balance.stdout.splitlines()[-1].lower().startswith('"total'), balance.stdout
    assert "1490.92" in balance.stdout.replace(",", "")
    assert balance.stdout.splitlines()[-1].endswith('"0"'), balance.stdout


def test_a_policy_that_forgives_platform_faults_credits_the_node_failure_and_moves_no_other_line(
    march: Estate, lines: pl.DataFrame, tmp_path: Path
) -> None:
    estate = march.copied_to(tmp_path / "credited")
    estate.config.write_text(f"{march.config.read_text()}\n[policies]\ncredit_platform_fault_cap_hours = 24\n")

    result = (
        definitions_for(estate.settings)
        .resolve_job_def(MONTH_JOB)
        .execute_in_process(
            asset_selection=[dg.AssetKey(name) for name in ("rated_usage", "team_charges", "journal_entries")],
            instance=dg.DagsterInstance.ephemeral(), partition_key=MONTH,
        )
    )  # fmt: skip

    assert result.success
    month = [Partition.of_month(MONTH)]
    after = estate.workspace.lake.scan(TEAM_CHARGES, month).frame.collect()
    entries = estate.workspace.lake.scan(JOURNAL_ENTRIES, month).frame.collect()
    assert after.filter(pl.col("kind") != "allocation").select("team", "kind", "quantity", "amount").rows() == [
        ("Vision", "credit-platform-fault", "-345600", Decimal("-105.60"))
    ]
    assert after.filter(pl.col("kind") == "allocation").equals(lines)
    assert sum(after["amount"], Decimal(0)) == Decimal("1385.32")
    contra = entries.filter(pl.col("entry_key") == "gpu-cb:C1:2026-03:vision:credit-platform-fault:r1")
    assert contra.select("side", "account", "cost_centre", "amount").rows() == [
        ("credit", "Expenses:GPU", "4711", Decimal("105.60")),
        ("debit", "Expenses:GPU-Credits", "GPU-PLATFORM", Decimal("105.60")),
    ]


def test_a_statement_is_shown_with_its_lines_and_total(march: Estate, capfd: pytest.CaptureFixture[str]) -> None:
    from orchestration.statement import show_statement

    shown = {}
    for output in ("table", "json", "csv", "html"):
        show_statement("vision", MONTH, output=output, config=march.config)
        shown[output] = capfd.readouterr().out

    assert "240.59 EUR" in shown["table"]
    assert "GPU-hours, unmeasured: no telemetry, which is not idle" in shown["table"]
    assert json.loads(shown["json"])["total"] == "240.59"
    assert "133.56" in shown["csv"]
    assert "240.59" in shown["html"]
    assert shown["html"].lstrip().lower().startswith("<!doctype html>")


def test_every_line_is_explained_down_to_its_raw_records_and_agrees(march: Estate, lines: pl.DataFrame) -> None:
    from orchestration.explain import explanation_of

    text = (INPUTS / "sacct.psv").read_text().split("\n")

    explained = [explanation_of(line_id, march.workspace) for line_id in lines["line_id"]]

    assert all(explanation.agrees for explanation in explained)
    assert all(explanation.records for explanation in explained)
    for explanation in explained:
        for record in explanation.records:
            assert record["raw"] == text[int(str(record["line"])) - 1]
            assert str(record["raw"]).startswith(f"{str(record['run']).partition('@')[0]}|")


def test_the_command_explains_a_line_with_object_line_and_text(march: Estate, lines: pl.DataFrame) -> None:
    half_a_cent = lines.filter(pl.col("team") == "Robotics", pl.col("tier") == "standard", pl.col("quantity") == "3600",
                               pl.col("quantity_unit") == "GPU-second")["line_id"][0]  # fmt: skip

    done = march.command("explain", half_a_cent)

    assert done.returncode == 0, done.stderr
    assert "477/200 EUR exactly, rounded once to 2.38" in done.stdout
    assert "agrees with the line" in done.stdout
    assert "line 25\n    113|113|slurm-a|robotics|u3" in done.stdout


@pytest.mark.slow
def test_the_jobs_of_the_ui_make_the_same_contents(march: Estate, tmp_path: Path) -> None:
    assert_the_ui_makes_the_same(march, tmp_path / "by-the-ui")
