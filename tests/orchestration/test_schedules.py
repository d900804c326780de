"""The nightly schedule asks for yesterday of every cluster, with the tables that its scheduler has."""

from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg

from orchestration.definitions import definitions_for
from resources.settings import Settings, read_settings

SETTINGS = {
    "lake": {"root": "lake"},
    "billing": {"timezone": "Europe/Amsterdam", "currency": "EUR", "first_day": date(2026, 10, 1)},
    "clusters": {
        "slurm-a": {"scheduler": "slurm", "timezone": "UTC"},
        "k8s-b": {"scheduler": "kubernetes"},
    },
}


def nightly_requests(settings: Settings, at: datetime) -> dict[str, dg.RunRequest]:
    """Partition -> run that the schedule requests at an instant."""
    definitions = definitions_for(settings)
    schedule = definitions.resolve_schedule_def("yesterday_of_every_cluster")
    context = dg.build_schedule_context(
        scheduled_execution_time=at,
        repository_def=definitions.get_repository_def(),
        instance=dg.DagsterInstance.ephemeral(),
    )
    requests = schedule.evaluate_tick(context).run_requests or []
    return {str(request.partition_key): request for request in requests}


def test_each_cluster_is_asked_for_the_tables_that_its_scheduler_has(tmp_path: Path) -> None:
    settings = read_settings(SETTINGS, folder=tmp_path)

    requested = nightly_requests(settings, datetime(2026, 10, 7, 1, tzinfo=UTC))

    tables = {
        key: {asset.to_user_string() for asset in request.asset_selection or []} for key, request in requested.items()
    }
    assert set(tables) == {"k8s-b|2026-10-06", "slurm-a|2026-10-06"}
    assert "raw_pods" in tables["k8s-b|2026-10-06"]
    assert "raw_sacct" not in tables["k8s-b|2026-10-06"]
    assert "raw_sacct" in tables["slurm-a|2026-10-06"]
    assert "raw_pods" not in tables["slurm-a|2026-10-06"]
    assert tables["k8s-b|2026-10-06"] & tables["slurm-a|2026-10-06"] >= {"runs", "holds", "bindings", "attribution"}
