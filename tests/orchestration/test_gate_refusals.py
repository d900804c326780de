"""The gate through real runs: what it refuses, with which words, and that what was let out before stays as it was."""

import shutil
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.materialisation import month_called
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.definitions import definitions_for
from orchestration.jobs import DAY_JOB, MONTH_JOB
from tests.checks.judging import change_first
from tests.estates import BUSY, INPUTS, LATER, MONTH, Estate, job, prepared, sacct

UNCOUNTED = job(71, "2026-03-31T11:00:00", "2026-03-31T12:00:00", tres="cpu=8,mem=64G,node=1")
H200 = job(72, "2026-03-31T11:00:00", "2026-03-31T12:00:00", tres="gres/gpu:h200=1,gres/gpu=1,node=1")


@pytest.fixture(scope="module")
def uncounted(billed_estate: Estate, tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """The billed estate after a job without a GPU count on a GPU node landed and the month was refused."""

    def late_job_refused(folder: Path) -> None:
        estate = billed_estate.copied_to(folder)
        estate.land("slurm/sacct", sacct(UNCOUNTED), at=LATER)
        assert estate.bill().refused

    return prepared(tmp_path_factory, "uncounted", late_job_refused)


@pytest.fixture
def unsettled(uncounted: Estate, tmp_path: Path) -> Estate:
    """A copy of it, to be changed."""
    return uncounted.copied_to(tmp_path / "unsettled")


def alone(estate: Estate, table: str, job_name: str = MONTH_JOB, partition: str = MONTH) -> dg.ExecuteInProcessResult:
    """Materialise one asset by itself, as somebody may do in the UI."""
    return (
        definitions_for(estate.settings)
        .resolve_job_def(job_name)
        .execute_in_process(
            asset_selection=[dg.AssetKey(table)], instance=dg.DagsterInstance.ephemeral(), partition_key=partition,
            raise_on_error=False,
        )
    )  # fmt: skip


def reasons_of(result: dg.ExecuteInProcessResult) -> str:
    """Why a run stopped, as the UI shows it."""
    failures = [event.step_failure_data.user_failure_data for event in result.get_step_failure_events()]
    return "\n".join(failure.description or "" for failure in failures if failure)


def test_an_unknown_gpu_count_refuses_the_certificate_and_previews_go_on(
    billed_estate: Estate, uncounted: Estate
) -> None:
    before, after = billed_estate.contents(), uncounted.contents()

    changed = {key for key in after if after[key] != before.get(key)}

    assert "runs|slurm-a|2026-03-31" in changed
    assert f"statements|{MONTH}" in changed
    assert f"certificate|{MONTH}" not in changed
    assert f"published|{MONTH}" not in changed
    assert uncounted.states_of(TEAM_CHARGES)
    assert uncounted.states_of(STATEMENTS)


def test_what_was_published_before_a_refused_bill_stays_to_the_byte(billed_estate: Estate, uncounted: Estate) -> None:
    assert billed_estate.published()
    assert uncounted.published() == billed_estate.published()


def test_bill_exits_with_1_and_says_which_run_has_no_count_and_what_to_do(unsettled: Estate) -> None:
    done = unsettled.command("bill", MONTH)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "REFUSED" in done.stdout
    assert (
        "check gpu_counts_known failed: 71@2026-03-31T11:00:00Z: expected a GPU count, or an entry in approvals/"
        in (done.stdout)
    )
    assert "account vision-lab, 3600 s on gpu01" in done.stdout
    assert "1 GPU count unknown (blocks the certificate)" in done.stdout


def test_an_approval_settles_the_count_and_the_month_is_published(unsettled: Estate) -> None:
    approval = b"- {cluster: slurm-a, run: 71, gpus: 2, by: platform lead, reason: prolog log of gpu01}\n"
    before = unsettled.published()
    unsettled.land("approvals", approval, at=LATER, extension="yaml")

    outcome = unsettled.bill()

    assert (outcome.refused, outcome.failures) == ((), ())
    days = month_called(MONTH, unsettled.settings).days
    rows = unsettled.workspace.lake.scan(RUNS, days).frame.collect()
    assert ("71@2026-03-31T11:00:00Z", 2, "approved") in rows.select("run", "gpu_count", "gpu_count_basis").rows()
    assert before.items() < unsettled.published().items()


def test_a_used_accelerator_without_a_price_refuses_and_is_named(estate: Estate) -> None:
    before = estate.published()
    estate.land("slurm/sacct", sacct(H200), at=LATER)

    outcome = estate.bill()

    assert any("usage_rated" in reason and "h200 standard" in reason for reason in outcome.refused), outcome.refused
    assert estate.published() == before


def test_an_owner_given_twice_for_the_same_days_refuses_with_both_lines(estate: Estate) -> None:
    before = estate.published()
    doubled = b"slurm-a,account,vision-lab,vis-01,NLP,4712,C1,100,2026-03-10,\n"
    estate.land("ownership", (INPUTS / "ownership.csv").read_bytes() + doubled, at=LATER, extension="csv")

    outcome = estate.bill()

    assert any("vision-lab" in reason and "200" in reason for reason in outcome.refused), outcome.refused
    assert estate.published() == before


def test_a_record_that_cannot_be_read_refuses_with_object_line_and_reason(estate: Estate) -> None:
    backwards = job(73, "2026-03-31T12:00:00", "2026-03-31T11:00:00", elapsed=3_600)
    key = estate.land("slurm/sacct", sacct(backwards), at=LATER)

    outcome = estate.bill()

    (reason,) = (reason for reason in outcome.refused if "quarantine_share" in reason)
    assert f"{key} line 2" in reason
    assert "73" in reason or "End" in reason, reason


def test_an_empty_day_in_a_busy_month_refuses(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "busy")
    busy = [job(100 + n, f"2026-03-31T{n % 20:02}:00:00", f"2026-03-31T{n % 20:02}:30:00") for n in range(25)]
    estate.land("slurm/sacct", sacct(*busy))

    outcome = estate.bill()

    (reason,) = (reason for reason in outcome.refused if "month_complete" in reason)
    assert "slurm-a|2026-03-30: expected about 25 sacct records, at least 2, found 0 records" in reason
    assert not estate.states_of(CERTIFICATE)
    assert estate.published() == {}


def test_an_altered_landing_object_refuses_when_its_days_are_looked_at_again(estate: Estate) -> None:
    before = estate.published()
    (altered,) = (estate.folder / "lake" / "landing" / "slurm" / "sacct").rglob("*.psv")
    altered.chmod(0o644)
    altered.write_bytes(altered.read_bytes().replace(b"gres/gpu=1", b"gres/gpu=2"))

    outcome = estate.bill(again=True)

    told = "\n".join(outcome.refused)
    assert outcome.failures == ()
    assert "check landed_objects_unchanged failed" in told
    assert altered.name in told
    assert estate.published() == before


def test_a_removed_landing_object_refuses_though_everything_else_adds_up(estate: Estate) -> None:
    before = estate.published()
    extra = estate.land("slurm/sacct", sacct(job(74, "2026-03-31T12:00:00", "2026-03-31T13:00:00")), at=LATER)
    assert estate.bill().refused == ()
    after = estate.published()
    (estate.folder / "lake" / extra).unlink()

    outcome = estate.bill()

    told = "\n".join(outcome.refused)
    assert "check landed_objects_unchanged failed" in told
    assert extra in told
    assert "it was removed; restore it from the source" in told
    assert before.items() < after.items()
    assert estate.published() == after


@pytest.mark.parametrize("table", ["published", "postings"])
def test_nothing_is_let_out_alone_without_a_certificate(table: str, tmp_path: Path, billed_estate: Estate) -> None:
    estate = billed_estate.copied_to(tmp_path / "estate")
    for name in ("certificate", "published", "postings"):
        shutil.rmtree(estate.folder / "lake" / "tables" / name)

    result = alone(estate, table)

    assert not result.success
    assert f"{MONTH}: there is no certificate; the gate has not passed this month" in reasons_of(result)
    assert not estate.states_of(PUBLISHED)


@pytest.mark.parametrize("table", ["published", "postings"])
def test_nothing_is_let_out_alone_on_a_stale_certificate(table: str, uncounted: Estate, tmp_path: Path) -> None:
    estate = uncounted.copied_to(tmp_path / "estate")
    before = estate.tree()

    result = alone(estate, table)

    assert not result.success
    told = reasons_of(result)
    assert f"{MONTH}: the certificate does not hold any more" in told
    assert "runs slurm-a|2026-03-31: check gpu_counts_known failed" in told
    assert estate.tree() == before


def test_the_certificate_alone_refuses_on_a_failed_check(uncounted: Estate, tmp_path: Path) -> None:
    result = alone(uncounted.copied_to(tmp_path / "estate"), "certificate")

    assert not result.success
    assert "check gpu_counts_known failed" in reasons_of(result)


def test_evidence_of_another_content_is_no_evidence(estate: Estate) -> None:
    change_first(estate, RUNS, job_name=pl.lit("another name"))

    told = reasons_of(alone(estate, "published"))

    assert "runs slurm-a|2026-03-31: check runs_valid is missing: run it" in told
    assert "holds slurm-a|2026-03-31: was made from another runs slurm-a|2026-03-31: materialise it again" in told


def test_a_day_materialised_alone_makes_the_certificate_stale_until_the_month_is_run_again(estate: Estate) -> None:
    estate.land("slurm/sacct", sacct(BUSY.replace("job1", "job1-renamed")), at=LATER)
    day = "slurm-a|2026-03-30"
    definitions = definitions_for(estate.settings)
    run = definitions.resolve_job_def(DAY_JOB).execute_in_process(
        instance=dg.DagsterInstance.ephemeral(), partition_key=day, raise_on_error=False
    )
    assert run.success

    told = reasons_of(alone(estate, "postings"))

    assert f"rated_usage {MONTH}: was made from another runs {day}: materialise it again" in told
    assert estate.bill().refused == ()
