"""Which parser reads which landing source, and which sources speak of the days of a cluster.

Not here: the parsers (chargeback/usage/), and what is kept of their work (observations.py).
"""

from typing import Protocol
from zoneinfo import ZoneInfo

from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.kubernetes_workloads import parse_workloads
from chargeback.usage.nesting import refusing_endless_nesting
from chargeback.usage.sacct_json import parse_sacct_json
from chargeback.usage.sacct_text import parse_sacct_text
from chargeback.usage.slurm_devices import parse_device_map
from chargeback.usage.slurm_events import parse_events
from chargeback.usage.slurm_job_details import parse_job_details
from chargeback.usage.slurm_nodes import parse_nodes
from chargeback.usage.slurm_reservations import parse_reservations

SACCT = "slurm/sacct"


class Parser(Protocol):
    """Reads one landing object; raises UnreadableExtract if it cannot be read as a whole."""

    def __call__(self, content: bytes, *, cluster: str, zone: ZoneInfo | None) -> ParsedExtract:
        """The records of the object; `zone` is that of times without an offset."""


_PARSERS: dict[str, Parser] = {
    SACCT: parse_sacct_text,
    "slurm/nodes": parse_nodes,
    "slurm/events": parse_events,
    "slurm/reservations": parse_reservations,
    "slurm/bindings": parse_job_details,
    "slurm/devices": parse_device_map,
    "kubernetes/pods": parse_pods,
    "kubernetes/nodes": parse_kubernetes_nodes,
    "kubernetes/workloads": parse_workloads,
    "kubernetes/claims": parse_claims,
    "dcgm": parse_dcgm,
}


def parser_of(source: str, extension: str) -> Parser:
    """The parser of a source; `extension` is the object's, compression taken off."""
    chosen = parse_sacct_json if source == SACCT and extension == "json" else _PARSERS[source]
    return refusing_endless_nesting(chosen)


def daily_sources_of(scheduler: str) -> tuple[str, ...]:
    """The sources that speak of the days of a cluster of that scheduler."""
    return tuple(source for source in _PARSERS if source == "dcgm" or source.startswith(f"{scheduler}/"))
