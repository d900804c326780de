"""What a file is, what it would bill and what is wrong with it, before anything is set up.

Pure: bytes in, figures out. The same parsers as in the lake. Not here: what is said of each kind (inspect_sacct.py,
inspect_pods.py, inspect_telemetry.py).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage import extract_kinds
from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.inspect_pods import inspect_pods
from chargeback.usage.inspect_sacct import inspect_sacct, parse_sacct
from chargeback.usage.inspect_telemetry import inspect_telemetry
from chargeback.usage.inspection import ALL_TIME, BILLS_NOTHING, PLACE, Inspection
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.kubernetes_workloads import parse_workloads
from chargeback.usage.nesting import refusing_endless_nesting
from chargeback.usage.slurm_devices import parse_device_map
from chargeback.usage.slurm_events import parse_events
from chargeback.usage.slurm_job_details import parse_job_details
from chargeback.usage.slurm_nodes import parse_nodes
from chargeback.usage.slurm_reservations import parse_reservations

_SILENT: Mapping[str, Callable[..., ParsedExtract]] = {
    extract_kinds.NODES: parse_nodes,
    extract_kinds.EVENTS: parse_events,
    extract_kinds.RESERVATIONS: parse_reservations,
    extract_kinds.BINDINGS: parse_job_details,
    extract_kinds.DEVICES: parse_device_map,
    extract_kinds.KUBERNETES_NODES: parse_kubernetes_nodes,
    extract_kinds.WORKLOADS: parse_workloads,
    extract_kinds.CLAIMS: parse_claims,
}
"""Sources that are read, and by which nothing is held."""


def inspect_extract(
    content: bytes,
    *,
    name: str,
    cluster: str,
    zone: ZoneInfo | None,
    billing_zone: ZoneInfo,
    fields: Sequence[str] | None = None,
    nodes: bytes | None = None,
    aliases: Mapping[str, str] | None = None,
    extracted_at: datetime | None = None,
) -> Inspection:
    """Say what a file is and what it would bill.

    `cluster` "" reads every cluster of the file. `zone` is for times without an offset, `fields` for an unknown layout
    without a header, `nodes` a node listing of the same scheduler (GPU hosts, shards per GPU, products), `aliases` gres
    types and products to accelerators. `extracted_at`: until when pods that still run were seen.
    Raises: UnreadableExtract for a node listing that is none; a file that is unreadable is an answer (`problem`).
    """
    try:
        kind = extract_kinds.SACCT if fields is not None else extract_kinds.kind_of(content)
    except UnreadableExtract as problem:
        return _not_read(content, name, str(problem))
    inventory = _inventory(nodes, kind, cluster)

    @refusing_endless_nesting
    def inspected() -> Inspection:
        if kind == extract_kinds.SACCT:
            parsed = parse_sacct(content, cluster=cluster, zone=zone, fields=fields)
            return inspect_sacct(parsed, name, inventory, billing_zone, aliases or {})
        if kind == extract_kinds.PODS:
            pods = parse_pods(content, cluster=cluster)
            return inspect_pods(
                pods, name, inventory, billing_zone, aliases or {}, cluster=cluster, extracted_at=extracted_at
            )
        if kind == extract_kinds.TELEMETRY:
            return inspect_telemetry(parse_dcgm(content, cluster=cluster), name)
        if kind in _SILENT:
            return _inspect_silent(_SILENT[kind](content, cluster=cluster, zone=zone), name, kind)
        return _not_read(content, name, None)

    try:
        return inspected()
    except UnreadableExtract as problem:
        return _not_read(content, name, str(problem))


def _inventory(nodes: bytes | None, kind: str, cluster: str) -> pl.DataFrame:
    """Node records as the lake has them on one day that lasts for all time."""
    contract = RAW_KUBERNETES_NODES if kind == extract_kinds.PODS else RAW_NODES
    if nodes is None:
        return contract.empty()
    parse = parse_kubernetes_nodes if kind == extract_kinds.PODS else parse_nodes
    frame = parse(nodes, cluster=cluster).frame
    stretch = {"statedFrom": pl.lit(ALL_TIME.start).cast(INSTANT), "statedUntil": pl.lit(ALL_TIME.end).cast(INSTANT)}
    placed = frame.with_columns(cluster=pl.lit(cluster), day=pl.lit(""), **PLACE, **stretch)
    return placed.select(contract.column_names)


def _not_read(content: bytes, name: str, problem: str | None) -> Inspection:
    records = extract_kinds.count_records(content)
    ignored = {extract_kinds.NOT_READ: records} if records else {}
    return Inspection(name, extract_kinds.NOT_READ, records, ignored, problem=problem)


def _inspect_silent(parsed: ParsedExtract, name: str, kind: str) -> Inspection:
    """A node listing, events, ...: read, but nothing is held by it."""
    ignored = dict(parsed.ignored_reasons)
    silent = parsed.records - len(parsed.quarantined) - sum(ignored.values())
    ignored = ({BILLS_NOTHING: silent} if silent else {}) | ignored
    return Inspection(name, kind, parsed.records, ignored, parsed.quarantined)
