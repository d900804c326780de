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
