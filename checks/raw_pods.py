"""Checks of raw_pods."""

from collections.abc import Iterator

import orjson
import polars as pl

from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.kubernetes_records import OVER
from chargeback.usage.quantities import whole_number
from checks.gate import Check, Outcome, Reading, findings_of

GPU_WORDS = ("gpu", "/mig-")
"""What the name of a resource of GPUs contains; memory and cores of one are whole numbers too."""


def unreadable_pods(reading: Reading) -> Outcome:
    """Pods whose GPUs are no whole number, and pods that are over without anything that says since when."""
    rows = reading.table(RAW_PODS).collect()
    counted = [
        finding
        for namespace, name, containers in rows.select("namespace", "name", "containers").iter_rows()
        for finding in _uncounted(f"{namespace}/{name}", containers)
    ]
    ends = ("finished", "disrupted", "deleted", "missingFrom", "deletionTimestamp")
    endless = rows.filter(
        pl.col("phase").is_in(OVER), pl.col("scheduled").is_not_null(), pl.all_horizontal(pl.col(ends).is_null())
    )
    undated = [
        (f"{namespace}/{name}", "an instant at which it ended", f"{phase}, held until it was last seen, {last_seen}")
        for namespace, name, phase, last_seen in endless.select("namespace", "name", "phase", "lastSeen").iter_rows()
    ]
    return Outcome(findings_of(counted + undated), {"pods": len(rows)})


def _uncounted(pod: str, containers: str) -> Iterator[tuple[str, str, str]]:
    for container in orjson.loads(containers):
        for resource, quantity in sorted((container["requests"] | container["limits"]).items()):
            if any(word in resource for word in GPU_WORDS) and whole_number(quantity) is None:
                yield f"{pod} container {container['name']}", f"{resource}: a whole number", quantity


CHECKS = (
    Check("raw_pods_readable", RAW_PODS,
          "The GPUs of every container are a whole number, and a pod that is over says since when.", unreadable_pods,
          stops="certificate"),
)  # fmt: skip
