"""What would stand in every raw table that follows from landing alone, by the source that it follows from.

Not here: telemetry (landed_telemetry.py), whose objects never overlap in time.
"""

from collections.abc import Mapping

from assets.landed_records import Teller
from assets.raw_bindings import raw_bindings_told
from assets.raw_claims import raw_claims_told
from assets.raw_device_maps import raw_device_maps_told
from assets.raw_events import raw_events_told
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes_told
from assets.raw_nodes import raw_nodes_told
from assets.raw_pods import raw_pods_told
from assets.raw_reservations import raw_reservations_told
from assets.raw_sacct import raw_sacct_told
from assets.raw_slices import raw_slices_told
from assets.raw_workloads import raw_workloads_told
from chargeback.contracts.contract import Contract
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS

TELLERS: Mapping[str, tuple[Teller, ...]] = {
    "slurm/sacct": (raw_sacct_told,),
    "slurm/nodes": (raw_nodes_told,),
    "slurm/events": (raw_events_told,),
    "slurm/reservations": (raw_reservations_told,),
    "slurm/bindings": (raw_bindings_told,),
    "slurm/devices": (raw_device_maps_told,),
    "kubernetes/pods": (raw_pods_told,),
    "kubernetes/nodes": (raw_kubernetes_nodes_told,),
    "kubernetes/workloads": (raw_workloads_told,),
    "kubernetes/claims": (raw_claims_told, raw_slices_told),
}

TABLES_OF: Mapping[str, tuple[Contract, ...]] = {
    "slurm/sacct": (QUARANTINE, RAW_SACCT),
    "slurm/nodes": (QUARANTINE, RAW_NODES),
    "slurm/events": (QUARANTINE, RAW_EVENTS),
    "slurm/reservations": (QUARANTINE, RAW_RESERVATIONS),
    "slurm/bindings": (QUARANTINE, RAW_BINDINGS),
    "slurm/devices": (QUARANTINE, RAW_DEVICE_MAPS),
    "kubernetes/pods": (QUARANTINE, RAW_PODS),
    "kubernetes/nodes": (QUARANTINE, RAW_KUBERNETES_NODES),
    "kubernetes/workloads": (QUARANTINE, RAW_WORKLOADS),
    "kubernetes/claims": (QUARANTINE, RAW_CLAIMS, RAW_SLICES),
    "dcgm": (QUARANTINE, RAW_SAMPLES),
}
"""The tables whose recorded inputs say that an object of a source was read."""
