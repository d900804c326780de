"""A backfill as the UI launches it: the daemon makes a run of each (cluster, day), of clusters of both schedulers.

The daemon's own iteration on a real code server; its runs are executed in this process instead of one each.
"""

import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterRunStatus
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.test_utils import create_test_daemon_workspace_context
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.backfill import execute_backfill_iteration

from chargeback.contracts.registry import DAILY
from orchestration.instance import open_instance
from orchestration.simulate import run_simulation
from resources.settings import SETTINGS_VARIABLE, load_settings

PARTITIONS = ["k8s-b|2026-03-01", "slurm-a|2026-03-01"]
MOST_ITERATIONS = 10
AFTER_THESE_DAYS = datetime(2026, 3, 9, tzinfo=UTC).timestamp()

RUNS_IN_THIS_PROCESS = """\
telemetry: {enabled: false}
event_log_storage: {module: resources.event_log, class: KeptOpenEventLog}
run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}
run_launcher: {module: dagster._core.launcher.sync_in_memory_run_launcher, class: SyncInMemoryRunLauncher}
"""


@pytest.mark.timeout(1800)
def test_a_backfill_from_the_ui_computes_days_of_both_schedulers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_simulation(
        gpus=16, days=3, seed=1, to=str(tmp_path / "lake"), first_day="2026-03-01", scrape_seconds=3600, truth_file=None
    )
    monkeypatch.setenv(SETTINGS_VARIABLE, str(tmp_path / "chargeback.toml"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = load_settings()
    settings.home.mkdir()
    (settings.home / "dagster.yaml").write_text(RUNS_IN_THIS_PROCESS)
    instance = open_instance(settings)

    location = ModuleTarget("orchestration.definitions", None, None, "gpu-chargeback")
    with create_test_daemon_workspace_context(location, instance) as context:
        request = context.create_request_context()
        instance.add_backfill(
            PartitionBackfill.from_asset_partitions(
                backfill_id="asked", asset_graph=request.asset_graph, partition_names=PARTITIONS,
                asset_selection=[AssetKey(contract.table) for contract in DAILY],
                backfill_timestamp=AFTER_THESE_DAYS, tags={}, dynamic_partitions_store=instance, all_partitions=False,
                title=None, description=None, run_config=None,
            )
        )  # fmt: skip
        for _ in range(MOST_ITERATIONS):
            faults = [fault for fault in execute_backfill_iteration(context, logging.getLogger("backfill")) if fault]
            asked = instance.get_backfill("asked")
            if faults or asked is None or asked.status != BulkActionStatus.REQUESTED:
                break

    runs = instance.get_runs()
    assert faults == []
    assert asked is not None
    assert asked.status == BulkActionStatus.COMPLETED_SUCCESS
    assert {run.tags["dagster/partition"]: run.status for run in runs} == dict.fromkeys(
        PARTITIONS, DagsterRunStatus.SUCCESS
    )
    assert len(runs) == len(PARTITIONS)
    for partition in PARTITIONS:
        assert (tmp_path / "lake" / "tables" / "attribution" / "_chargeback" / f"{partition}.json").exists()
