"""What a file is, by its shape: which landing source reads it, or what else it looks like.

Not here: reading it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import orjson

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.kubernetes_text import documents_of
from chargeback.usage.kubernetes_workload import BATCH, INTERACTIVE, SERVICE
from chargeback.usage.nesting import refusing_endless_nesting
from chargeback.usage.sacct_json import is_json
from chargeback.usage.sacct_text import text_of

SACCT = "slurm/sacct"
NODES = "slurm/nodes"
EVENTS = "slurm/events"
RESERVATIONS = "slurm/reservations"
BINDINGS = "slurm/bindings"
DEVICES = "slurm/devices"
PODS = "kubernetes/pods"
KUBERNETES_NODES = "kubernetes/nodes"
WORKLOADS = "kubernetes/workloads"
CLAIMS = "kubernetes/claims"
TELEMETRY = "dcgm"
NOT_READ = "not a source that is read"

_KUBERNETES_KINDS = {
    **dict.fromkeys(("Workload", "PodGroup", "RayCluster", *BATCH, *INTERACTIVE), WORKLOADS),
    **dict.fromkeys({*SERVICE} - {"Service", "Configuration"}, WORKLOADS),
    **dict.fromkeys(("ResourceClaim", "ResourceSlice"), CLAIMS),
    "Pod": PODS,
    "Node": KUBERNETES_NODES,
}
"""Which source an object of a Kubernetes kind belongs to; other kinds are not read."""

_EXPOSITION = re.compile(r"^(?:# (?:HELP|TYPE) )?dcgm_\w+[{ ]", re.M | re.I)
_YAML_KIND = re.compile(r"^(?:- )? *kind: *[\"']?(\w+)", re.M)
_PARQUET = b"PAR1"
_SEPARATOR = re.compile(r"[|☃\x1f\t#^]+|,(?=minor|uuid|nvml_index)", re.I)
"""Between the names of a header. Only device maps have commas there: elsewhere they stand inside a column."""

_BEGINS = (
    (re.compile(r"^\s*NodeName=", re.M), NODES),
    (re.compile(r"^\s*ReservationName=", re.M), RESERVATIONS),
    (re.compile(r"^\s*JobId=", re.M), BINDINGS),
    (re.compile(r"^\s*PartitionName=", re.M), NOT_READ),
)

_HEADERS = (
    ({"job_id", "start_epoch", "host"}, BINDINGS),
    ({"host", "minor", "uuid"}, DEVICES),
    ({"nodename", "timestart", "timeend", "state"}, EVENTS),
    ({"jobid", "tres_alloc"}, NOT_READ),
    ({"jobid", "state"}, SACCT),
    ({"jobidraw", "state"}, SACCT),
    ({"name", "timestart", "timeend"}, RESERVATIONS),
    ({"avail", "partition"}, NOT_READ),
    ({"name", "priority", "preempt"}, NOT_READ),
    ({"cluster", "controlhost"}, NOT_READ),
    ({"account", "descr"}, NOT_READ),
    ({"account", "share"}, NOT_READ),
    ({"user", "admin"}, NOT_READ),
    ({"wckey", "cluster"}, NOT_READ),
    ({"type", "name", "id"}, NOT_READ),
    ({"time", "action", "actor"}, NOT_READ),
    ({"tres name", "used"}, NOT_READ),
)
"""Columns that a header names, in lower case; the first set that it has decides."""


@refusing_endless_nesting
def kind_of(content: bytes) -> str:
    """The landing source that reads it; NOT_READ for a shape that is known to be something else.

    A text of unknown shape is taken for SACCT: whether it has a layout that can be read is for its parser to say.
    Raises  UnreadableExtract for objects that nest without end.
    """
    if content.startswith(_PARQUET):
        return TELEMETRY
    if is_json(content):
        return _kind_of_json(content)
    try:
        head = text_of(content)[:20_000]
    except UnreadableExtract:
        return SACCT
    if _EXPOSITION.search(head):
        return TELEMETRY
    if "apiVersion:" in head and (kinds := _YAML_KIND.findall(head)):
        return _kind_of_objects(kinds)
    for pattern, kind in _BEGINS:
        if pattern.search(head):
            return kind
    for line in head.splitlines()[:8]:
        names = {name.strip().lower() for name in _SEPARATOR.split(line)}
        for wanted, kind in _HEADERS:
            if wanted <= names:
                return kind
    return SACCT


def count_records(content: bytes) -> int:
    """Filled lines of a text, or entries of the longest list of a JSON document."""
    if is_json(content):
        document = _loaded(content)
        if isinstance(document, dict):
            return max((len(value) for value in document.values() if isinstance(value, list)), default=0) or 1
    return sum(1 for line in content.splitlines() if line.strip())


def _kind_of_json(content: bytes) -> str:
    document = _loaded(content)
    if isinstance(document, dict) and (kind := _kind_of_document(document)):
        return kind
    documents = [document] if document is not None else [read.value for read in documents_of(content)]
    if not any(documents):
        return SACCT
    return _kind_of_objects([kind for each in documents for kind in _object_kinds(each)])


def _kind_of_document(document: Mapping[str, object]) -> str | None:
    """A document that is one thing as a whole; None if its objects decide."""
    if "status" in document and ("data" in document or "errorType" in document):
        return TELEMETRY
    if "pod_resources" in document or "podResources" in document:
        return CLAIMS
    if "kubernetes.io/hostname" in document or "nvidia.com/gpu.product" in document:
        return KUBERNETES_NODES
    if "nodes" in document or "sinfo" in document:
        return NODES
    jobs = document.get("jobs")
    if isinstance(jobs, list):
        return SACCT if not jobs or any(isinstance(job, dict) and "time" in job for job in jobs) else NOT_READ
    return None


def _object_kinds(value: object) -> Iterator[str]:
    """Kinds of the Kubernetes objects in a document: a list, an object, or a watch event around one."""
    if isinstance(value, list):
        for entry in value:
            yield from _object_kinds(entry)
    elif isinstance(value, dict):
        kind = value.get("kind")
        if isinstance(kind, str) and kind != "List":
            yield kind.removesuffix("List")
        elif "items" in value:
            yield from _object_kinds(value["items"])
        elif "object" in value:
            yield from _object_kinds(value["object"])
        elif isinstance(value.get("spec"), dict) and "containers" in value["spec"]:
            yield "Pod"


def _kind_of_objects(kinds: Sequence[str]) -> str:
    """The source of the first kind that has one."""
    return next((_KUBERNETES_KINDS[kind] for kind in kinds if kind in _KUBERNETES_KINDS), NOT_READ)


def _loaded(content: bytes) -> object:
    return _loads(content.decode("utf-8", errors="replace").removeprefix("\ufeff").encode())


def _loads(content: bytes) -> object:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
