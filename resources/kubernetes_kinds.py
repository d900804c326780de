"""Which kinds of a Kubernetes API are listed, in which versions they may be served, and where each lands.

Not here: how they are listed (kubernetes_listing.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedKind:
    """One kind: `versions` in order of preference; `is_needed` says that a cluster without it cannot be billed."""

    source: str
    group: str
    versions: tuple[str, ...]
    plural: str
    is_needed: bool = False

    @property
    def name(self) -> str:
        """As RBAC and kubectl spell it: `pods`, `workloads.kueue.x-k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def missing_rule(self) -> str:
        """The rule of a ClusterRole that permits to list it."""
        return f'apiGroups: ["{self.group}"], resources: ["{self.plural}"], verbs: ["list"]'

    def path(self, version: str) -> str:
        """Path of the list of all namespaces."""
        return f"{group_path(self.group, version)}/{self.plural}"


def group_path(group: str, version: str) -> str:
    """Path of a group's version; the core group has none of its own."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


PODS = ListedKind("kubernetes/pods", "", ("v1",), "pods", is_needed=True)
NODES = ListedKind("kubernetes/nodes", "", ("v1",), "nodes", is_needed=True)


def _workloads(group: str, versions: tuple[str, ...], *plurals: str) -> tuple[ListedKind, ...]:
    return tuple(ListedKind("kubernetes/workloads", group, versions, plural) for plural in plurals)


LISTED_KINDS = (
    PODS,
    NODES,
    *_workloads("apps", ("v1",), "replicasets"),
    *_workloads("batch", ("v1",), "jobs"),
    *_workloads("kueue.x-k8s.io", ("v1beta2", "v1beta1"), "workloads"),
    *_workloads("ray.io", ("v1", "v1alpha1"), "rayjobs", "rayclusters"),
    *_workloads("scheduling.k8s.io", ("v1", "v1beta1", "v1alpha3", "v1alpha2"), "podgroups"),
    *_workloads("scheduling.volcano.sh", ("v1beta1",), "podgroups"),
    *_workloads("scheduling.x-k8s.io", ("v1alpha1",), "podgroups"),
    *_workloads("scheduling.run.ai", ("v2alpha2", "v2"), "podgroups"),
    ListedKind("kubernetes/claims", "resource.k8s.io", ("v1", "v1beta2", "v1beta1", "v1alpha3"), "resourceclaims"),
    ListedKind("kubernetes/claims", "resource.k8s.io", ("v1", "v1beta2", "v1beta1", "v1alpha3"), "resourceslices"),
)
"""What is asked for, in this order: pods first, so that what owns them is listed after they were seen."""
