"""Two backfills at once on one lake and one PostgreSQL instance: what stands afterwards is what one alone makes."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from orchestration.instance import open_instance
from resources.lake_records import PartitionContended
from tests.estates import BUSY, LAST_DAY, LATER, MONTH, OVERNIGHT, Estate, command_line, job, sacct
from tests.services.postgresql import postgresql

pytestmark = [pytest.mark.timeout(1800), pytest.mark.debian]

OVERTAKEN = (PartitionContended.__name__, "materialise it again")
LATE = (
    job(8, "2026-03-30T09:00:00", "2026-03-30T11:00:00", account="nlp-lab"),
    job(9, "2026-03-31T12:00:00", "2026-03-31T15:00:00", account="nlp-lab"),
)


def test_two_backfills_at_once_end_and_leave_what_one_alone_would_and_every_run_is_on_record_once(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY, *LATE), at=LATER)
    alone = estate.copied_to(tmp_path / "alone")
    assert alone.bill().refused == ()
    estate.config.write_text(estate.config.read_text() + '\n[instance]\nstorage = "postgres"\n')
    monkeypatch.setenv("DAGSTER_HOME", "")

    with postgresql() as address:
        monkeypatch.setenv("CHARGEBACK_POSTGRES_URL", address)
        ended = [
            (backfill.communicate()[0], backfill.returncode)
            for backfill in [
                started(estate, first, "2026-03-31") for first in ("2026-03-30", "2026-03-31")
            ]
        ]  # fmt: skip
        instance = open_instance(estate.settings)
        runs = instance.get_runs()
        faults = {run.run_id: faults_of(run, instance) for run in runs if run.status == DagsterRunStatus.FAILURE}
        written = [path.read_bytes() for path in (estate.folder / ".dagster").rglob("*") if path.is_file()]
        instance.dispose()

    assert [code for _, code in ended] == [0, 0], ended
    assert estate.contents() == alone.contents()
    assert estate.published() == alone.published()
    # Two runs of one month may write at once: the one that was overtaken says so, or is refused its certificate since
    # the other made a day meanwhile; and was done again.
    assert {run.status for run in runs} <= {DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE}
    assert [said for said in faults.values() if not any(reason in said for reason in OVERTAKEN)] == []
    assert {run.tags["dagster/partition"] for run in runs if run.run_id in faults} <= {MONTH}
    done = [run for run in runs if run.run_id not in faults]
    by_partition = Counter(run.tags["dagster/partition"] for run in done)
    assert (by_partition["slurm-a|2026-03-30"], by_partition["slurm-a|2026-03-31"]) == (1, 2)
    assert by_partition[MONTH] >= 2
    password = address.partition("@")[0].rpartition(":")[2].encode()
    assert not [content for content in written if password in content]


def faults_of(run: DagsterRun, instance: DagsterInstance) -> str:
    """What a failed run says of its failure."""
    events = [log.dagster_event for log in instance.all_logs(run.run_id) if log.dagster_event]
    return "\n".join(str(event.event_specific_data) for event in events if event.is_failure)


def started(estate: Estate, first: str, last: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command_line("backfill", first, last, "--workers", "1"), cwd=estate.folder, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
