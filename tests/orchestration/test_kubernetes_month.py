"""Two days of a Kubernetes cluster, billed from its listings to charges: holds, capacity, owners, refusals."""

from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from chargeback.contracts.runs import RUNS
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.bill import BillOutcome, bill_month
from tests.chargeback.usage.landed_kubernetes import api_list
from tests.estates import Estate, NoProgress, in_this_process
from tests.tables import instant

MONTH, DAYS, CLUSTER = "2026-07", ("2026-07-30", "2026-07-31"), "k8s-b"

TOML = """\
[lake]
root = "lake"

[billing]
timezone = "UTC"
currency = "EUR"
first_day = 2026-07-30

[clusters.k8s-b]
scheduler = "kubernetes"
tiers = {spot = "preemptible"}
"""

OWNERSHIP = b"""\
cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until
k8s-b,namespace,ml,v,Vision,4711,C1,100,2026-01-01,
k8s-b,label,ml/team=nlp,n,NLP,4712,C1,100,2026-01-01,
"""

CARD = b"""\
version: "2026.1"
effective_from: 2026-01
currency: EUR
accelerators:
  a100-sxm4-80gb:
    standard: {price: 1.00, unit: GPU-hour}
    preemptible: {price: 0.50, unit: GPU-hour}
"""


def a_pod(uid: str, scheduled: str, finished: str | None, *, annotations: dict[str, str] | None = None, gpus: int = 2,
          priority: str | None = None, **labels: str) -> dict[str, Any]:  # fmt: skip
    """A pod on node n1 in namespace ml, as the API shows it."""
    ended = {"exitCode": 0, "reason": "Completed", "finishedAt": finished} if finished else {}
    state = {"terminated" if finished else "running": {"startedAt": scheduled, **ended}}
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return {
        "metadata": {"name": uid, "namespace": "ml", "uid": uid, "creationTimestamp": scheduled, "labels": labels,
                     "annotations": annotations or {}},
        "spec": {"nodeName": "n1", "priorityClassName": priority,
                 "containers": [{"name": "c", "resources": {"limits": limits}}]},
        "status": {
            "phase": "Running" if finished is None else "Succeeded",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": scheduled}],
            "containerStatuses": [{"name": "c", "state": state}],
        },
    }  # fmt: skip


A_NODE = {
    "metadata": {"name": "n1", "creationTimestamp": "2026-01-01T00:00:00Z",
                 "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.count": "4"}},
    "status": {"capacity": {"nvidia.com/gpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]},
}  # fmt: skip

LABELLED = a_pod("labelled", "2026-07-30T08:00:00Z", "2026-07-31T09:00:00Z", team="nlp")
SPOT = a_pod("spot", "2026-07-31T12:00:00Z", "2026-07-31T14:00:00Z", gpus=1, priority="spot", team="other")
STILL_RUNNING = a_pod("service", "2026-07-31T20:00:00Z", None, gpus=1)


class Month:
    """An estate of one Kubernetes cluster."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "chargeback.toml").write_text(TOML)
        self.estate = Estate(folder)
        self.land("ownership", OWNERSHIP, at="2026-08-01T01:00Z", extension="csv", cluster=None)
        self.land("rate-cards", CARD, at="2026-08-01T01:00Z", extension="yaml", cluster=None)
        self.land("kubernetes/nodes", api_list("Node", A_NODE), at="2026-08-01T01:00Z")

    def land(
        self, source: str, content: bytes, *, at: str, extension: str = "json", cluster: str | None = CLUSTER
    ) -> None:
        """Land an object that was extracted then."""
        self.estate.workspace.landing.land(
            content, source=source, cluster=cluster, extracted_at=instant(at), extension=extension
        )

    def bill(self) -> BillOutcome:
        """What `chargeback bill` does."""
        now: datetime = instant("2026-08-02T00:00Z")
        return bill_month(MONTH, workspace=self.estate.workspace, settings_file=self.estate.config,
                          progress=NoProgress(), now=now, again=False, pool_of=in_this_process)  # fmt: skip

    def rows(self, contract: Contract) -> pl.DataFrame:
        """What stands in the month of a table."""
        is_daily = contract.partitioned_by == ("cluster", "day")
        days = [Partition.of_day(CLUSTER, day) for day in DAYS]
        partitions = days if is_daily else [Partition.of_month(MONTH)]
        return self.estate.workspace.lake.scan(contract, partitions).frame.collect()

    def charges(self) -> dict[tuple[str, str], Fraction]:
        """Team and tier -> amount."""
        rows = self.rows(TEAM_CHARGES).select("team", "tier", "amount").rows()
        return {(team, tier): Fraction(amount) for team, tier, amount in rows}


@pytest.fixture
def month(tmp_path: Path) -> Month:
    """A month with everything but pods."""
    return Month(tmp_path / "estate")


def test_a_month_of_pods_is_billed_to_the_teams_that_own_their_namespace_or_label(month: Month) -> None:
    month.land("kubernetes/pods", api_list("Pod", LABELLED, SPOT, STILL_RUNNING), at="2026-08-01T01:00Z")

    outcome = month.bill()

    assert (outcome.failures, outcome.refused) == ((), ())
    assert month.charges() == {
        ("NLP", "standard"): 50,
        ("Vision", "preemptible"): 1,
        ("Vision", "standard"): 4,
    }
    assert set(month.rows(RUNS)["scheduler"]) == {"kubernetes"}
    assert month.rows(CAPACITY)["capacity_unit_seconds"].sum() == 2 * 4 * 86_400
    assert month.rows(HOLDS).filter("is_running").is_empty()


def test_a_pod_whose_fraction_cannot_be_read_blocks_the_month_by_name_until_it_is_settled(month: Month) -> None:
    odd = a_pod("odd", "2026-07-31T12:00:00Z", "2026-07-31T14:00:00Z", gpus=0, annotations={"gpu-fraction": "half"})
    month.land("kubernetes/pods", api_list("Pod", odd), at="2026-08-01T01:00Z")

    refused = month.bill().refused
    approval = b"- {cluster: k8s-b, run: ml/odd, gpus: 1, by: ops, reason: asked the team}\n"
    month.land("approvals", approval, at="2026-08-01T02:00Z", extension="yaml", cluster=None)
    settled = month.bill()

    assert any("ml/odd account ml, 7200 s on n1, asks gpu-fraction=half" in reason for reason in refused)
    assert (settled.failures, settled.refused) == ((), ())
    assert month.charges() == {("Vision", "standard"): 2}


def test_a_month_whose_pods_were_last_listed_before_it_was_over_is_refused(month: Month) -> None:
    month.land("kubernetes/pods", api_list("Pod", LABELLED), at="2026-07-31T10:00Z")

    refused = month.bill().refused

    assert any(
        "k8s-b" in reason and "a pod extract taken after 2026-08-01T00:00:00+00:00" in reason for reason in refused
    )
