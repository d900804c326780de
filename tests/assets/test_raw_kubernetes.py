"""The raw tables of a Kubernetes day, materialised from landing/: current until something lands that tells of it."""

from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from orchestration.definitions import resources_for
from orchestration.graph import assets_on
from orchestration.partitions import calendar_of
from resources.lake import Lake
from resources.landing import Landing
from resources.settings import load_settings
from tests.chargeback.usage.landed_kubernetes import CLUSTER, DAY, at, pod, pod_list
from tests.tables import shared_file

TABLES = (RAW_PODS, RAW_KUBERNETES_NODES, RAW_WORKLOADS, RAW_CLAIMS, RAW_SLICES)
PARTITION = Partition.of_day(CLUSTER, DAY)
SERVICE = pod(created="-3 08:00", scheduled="-3 08:01", started="-3 08:02")

TOML = """\
[lake]
root = "lake"
[billing]
timezone = "UTC"
currency = "EUR"
first_day = 2026-07-01
[clusters.k8s-b]
scheduler = "kubernetes"
"""


@dataclass(frozen=True)
class KubernetesLake:
    """A lake of one Kubernetes cluster in a folder."""

    folder: Path

    @property
    def resources(self) -> dict[str, object]:
        """Its adapters, opened anew."""
        return resources_for(load_settings(self.folder / "chargeback.toml"))

    def land(self, time: str, content: bytes, *, source: str = "kubernetes/pods", extension: str = "json") -> None:
        """Land one snapshot, extracted at a time."""
        landing = self.resources["landing"]
        assert isinstance(landing, Landing)
        landing.land(content, source=source, cluster=CLUSTER, extracted_at=at(time), extension=extension)

    def materialise(self) -> dict[str, str]:
        """What became of the raw tables of the day: table -> new, changed or unchanged for a reason."""
        settings = load_settings(self.folder / "chargeback.toml")
        keys = {dg.AssetKey(contract.table) for contract in TABLES}
        chosen = [asset for asset in assets_on(calendar_of(settings), settings) if asset.key in keys]
        done = dg.materialize(chosen, partition_key=f"{CLUSTER}|{DAY}", resources=self.resources)
        events = (event.step_materialization_data.materialization for event in done.get_asset_materialization_events())
        return {each.asset_key.to_user_string(): str(each.metadata["outcome"].value) for each in events}

    def rows(self, contract: Contract) -> pl.DataFrame:
        """What stands in the day."""
        lake = self.resources["lake"]
        assert isinstance(lake, Lake)
        return lake.scan(contract, [PARTITION]).frame.collect()


@pytest.fixture
def lake(tmp_path: Path) -> KubernetesLake:
    (tmp_path / "chargeback.toml").write_text(TOML)
    return KubernetesLake(tmp_path)


def test_the_raw_tables_of_the_worked_day_follow_from_its_snapshots(lake: KubernetesLake) -> None:
    lake.land("+1 00:10", shared_file("worked-day", "pods.json").read_bytes())
    lake.land("+1 00:10", shared_file("worked-day", "nodes.json").read_bytes(), source="kubernetes/nodes")

    lake.materialise()

    assert {contract.table: len(lake.rows(contract)) for contract in TABLES} == {
        "raw_pods": 5, "raw_kubernetes_nodes": 1, "raw_workloads": 0, "raw_claims": 0, "raw_slices": 0
    }  # fmt: skip


def test_a_day_is_current_until_something_lands_that_tells_of_it(lake: KubernetesLake) -> None:
    for night in (0, 1):
        lake.land(f"{night} 00:10", pod_list(SERVICE))
    first = lake.materialise()["raw_pods"]
    stood = lake.rows(RAW_PODS)

    lake.land("+2 00:10", pod_list(SERVICE))
    a_night_later = lake.materialise()["raw_pods"]
    lake.land("12:00", pod_list(SERVICE))
    with_a_listing_between = lake.materialise()["raw_pods"]
    lake.land("13:00", pod_list())
    with_a_stale_one = lake.materialise()["raw_pods"]

    assert (first, a_night_later) == ("new", "unchanged input")
    assert (with_a_listing_between, with_a_stale_one) == ("unchanged content", "unchanged content")
    assert lake.rows(RAW_PODS).equals(stood)


def test_an_empty_listing_that_lands_late_ends_what_was_held(lake: KubernetesLake) -> None:
    lake.land("12:11", pod_list(SERVICE))
    lake.materialise()
    lake.land("12:16", pod_list())

    outcome = lake.materialise()["raw_pods"]

    assert outcome == "changed"
    assert lake.rows(RAW_PODS).select("lastSeen", "missingFrom").rows() == [(at("12:11"), at("12:16"))]
