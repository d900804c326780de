"""Checks of raw_workloads: each passes on what clusters show, and fails on what it is there for."""

from pathlib import Path

from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from tests.checks.kubernetes_judging import judged_rows
from tests.tables import a_table_of


def test_raw_workloads_readable_passes_for_workloads_that_wait_run_and_end(tmp_path: Path) -> None:
    rows = a_table_of(RAW_WORKLOADS, """
        uid  kind      creationTimestamp  admitted           ended
        1    Workload  2026-07-08T08:00Z  2026-07-08T08:00Z  2026-07-08T10:00Z
        2    Job       2026-07-08T08:00Z  -                  -
    """)  # fmt: skip

    judgement = judged_rows("raw_workloads_readable", tmp_path, {RAW_WORKLOADS: rows})

    assert judgement.is_pass
    assert judgement.evidence.metrics["workloads"] == 2


def test_raw_workloads_readable_fails_for_a_job_that_was_over_before_it_was_created(tmp_path: Path) -> None:
    rows = a_table_of(RAW_WORKLOADS, """
        uid  kind  namespace  name   creationTimestamp  ended
        1    Job   vision     train  2026-07-08T08:00Z  2026-07-08T07:00Z
    """)  # fmt: skip

    judgement = judged_rows("raw_workloads_readable", tmp_path, {RAW_WORKLOADS: rows})

    assert judgement.is_failure
    assert "Job vision/train | created 2026-07-08 08:00:00" in judgement.told
    assert "| admitted never, ended 2026-07-08 07:00:00" in judgement.told
