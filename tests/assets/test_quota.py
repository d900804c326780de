"""Quota of a month that no pod held: added up from its Kubernetes days, read from the lake."""

from pathlib import Path

import polars as pl

from assets.materialisation import month_called
from assets.quota import quota_of_month
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from orchestration.workspace import open_workspace
from resources.lake_records import Provenance, Scanned
from resources.settings import load_settings
from tests.tables import a_table_of

TOML = """
[lake]
root = "lake"
[billing]
currency = "EUR"
first_day = 2026-03-01
[clusters.k8s-b]
scheduler = "kubernetes"
[clusters.slurm-a]
"""
WAITING = """
    day         uid  kind      namespace  name  ownerKind  ownerName  queueName  quotaGpus  admitted           lastSeen
    2026-03-05  w1   Workload  ml         w1    Job        waits      team-a     8          2026-03-05T12:00Z  2026-03-06T06:00Z
    2026-03-06  w1   Workload  ml         w1    Job        waits      team-a     8          2026-03-05T12:00Z  2026-03-06T06:00Z
    2026-03-06  w2   Workload  ml         w2    Job        none       team-a     0          2026-03-05T12:00Z  2026-03-06T06:00Z
"""  # noqa: E501


def test_quota_is_added_up_day_by_day_and_only_where_there_was_some(tmp_path: Path) -> None:
    (tmp_path / "chargeback.toml").write_text(TOML)
    workspace = open_workspace(load_settings(tmp_path / "chargeback.toml"))
    workloads = a_table_of(RAW_WORKLOADS, WAITING, cluster="k8s-b")
    for day in ("2026-03-05", "2026-03-06"):
        partition = Partition.of_day("k8s-b", day)
        made = Provenance(run_id="r", code_version="c", inputs={})
        workspace.lake.replace(RAW_WORKLOADS, partition, workloads.filter(pl.col("day") == day), made)
    month = month_called("2026-03", workspace.settings)

    def read(contract: Contract) -> Scanned:
        return workspace.lake.scan(contract, month.days_of(contract))

    quota = quota_of_month(read(RAW_WORKLOADS), read(RUNS), month)

    assert quota.rows() == [
        ("k8s-b", "2026-03-05", "ml", "Job/waits", "team-a", 12 * 3600 * 8),
        ("k8s-b", "2026-03-06", "ml", "Job/waits", "team-a", 6 * 3600 * 8),
    ]
