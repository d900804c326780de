"""Checks of raw_kubernetes_nodes."""

from collections.abc import Iterator

import orjson

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.kubernetes_node_gpus import PRODUCT_LABELS
from chargeback.usage.quantities import whole_number
from checks.gate import Check, Outcome, Reading, findings_of

GPU_WORDS = ("gpu", "/mig-")
"""What the name of a resource of GPUs contains."""


def unreadable_gpus(reading: Reading) -> Outcome:
    """Nodes whose GPUs are no whole number, and nodes with GPUs of which no label says the product."""
    rows = reading.table(RAW_KUBERNETES_NODES).select("name", "labels", "capacity").unique().sort("name").collect()
    findings = [
        finding
        for name, labels, capacity in rows.iter_rows()
        for finding in _findings(f"node {name}", orjson.loads(labels), orjson.loads(capacity))
    ]
    return Outcome(findings_of(findings), {"nodes": rows["name"].n_unique()})


def _findings(node: str, labels: dict[str, str], capacity: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    gpus = {name: quantity for name, quantity in sorted(capacity.items()) if any(word in name for word in GPU_WORDS)}
    for resource, quantity in gpus.items():
        if whole_number(quantity) is None:
            yield node, f"{resource}: a whole number", quantity
    has_gpus = any(whole_number(quantity) != 0 for quantity in gpus.values())
    if has_gpus and not any(labels.get(label) for label in PRODUCT_LABELS):
        yield node, f"a label that says the product: {', '.join(PRODUCT_LABELS)}", f"none; {', '.join(gpus)}"


CHECKS = (
    Check("raw_kubernetes_nodes_readable", RAW_KUBERNETES_NODES,
          "The GPUs of every node are a whole number and a label says their product.", unreadable_gpus,
          stops="certificate"),
)  # fmt: skip
