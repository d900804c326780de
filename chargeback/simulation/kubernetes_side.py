"""The Kubernetes cluster, day by day: what it plans, and the listings and watch events that are kept of it.

Not here: the formats (kubernetes_writer.py), telemetry (dcgm_writer.py).
"""

from collections import Counter
from collections.abc import Iterator

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.calendar_days import AFTER_MIDNIGHT, HOUR, MINUTE, SimulatedDays, instant_of
from chargeback.simulation.disturbed_telemetry import kubernetes_disturbances
from chargeback.simulation.estate_plan import KUBERNETES, Device, Estate, owners_of
from chargeback.simulation.kubernetes_writer import node_event, node_list, pod_events, pod_list, workload_lists
from chargeback.simulation.made import Made, compressed
from chargeback.simulation.pod_arrivals import pods_arriving
from chargeback.simulation.pod_desk import PodDesk
from chargeback.simulation.pod_run import Container, Owner, Pod
from chargeback.simulation.pod_scenes import place_pod_scenes
from chargeback.simulation.scraping import Disturbances
from chargeback.simulation.shared_gpu_scenes import busy_by_nobody, place_shared_scenes
from chargeback.simulation.truth import RunFact
from chargeback.simulation.truth_capacity import CapacitySpell

NOTICED_SECONDS = 40
"""How long after a change of a node its watch event is kept."""

EVENING_HOURS = 19
"""Workload objects are listed in the evening too: many are gone by night."""

STATES_OF_SPELLS = {"not ready": "out_of_service_unplanned", "cordon": "out_of_service_planned"}
AGE_SECONDS = 20 * 24 * HOUR


class KubernetesSide:
    """Pods, workload objects and spells that can still matter; earlier ones are forgotten."""

    cluster = KUBERNETES

    def __init__(self, estate: Estate, days: SimulatedDays, seed: int) -> None:
        self.hosts = estate.of(KUBERNETES)
        self._days, self._seed = days, seed
        self._desk = PodDesk(estate, days, seed)
        self._born = days.start - AGE_SECONDS
        self._stray: tuple[Device, int, int] | None = busy_by_nobody(self._desk, days.at(1, 5))
        place_shared_scenes(self._desk)
        place_pod_scenes(self._desk)
        self._desk.pods += [_exporter(host.name, self._born) for host in self.hosts]
        self._planned: list[Pod] = list(self._desk.pods)

    def plan(self, day: int) -> None:
        """Let people submit on that day."""
        self._planned += pods_arriving(self._desk, day, self._seed)

    def forget(self, before: int) -> None:
        """Drop what had gone before an instant."""
        self._desk.pods = [pod for pod in self._desk.pods if pod.deleted is None or pod.deleted >= before]
        self._desk.workloads = [each for each in self._desk.workloads if each.deleted is None or each.deleted >= before]
        self._desk.bookings.forget(before)

    def newly_planned(self) -> list[RunFact]:
        """Facts of what was planned since this was last asked."""
        facts = [fact_of(pod) for pod in self._planned]
        self._planned = []
        return facts

    def facts(self) -> list[RunFact]:
        """Facts of all pods that can still matter."""
        return [fact_of(pod) for pod in self._desk.pods]

    def disturbances(self) -> Disturbances:
        """What goes wrong with the telemetry of its hosts."""
        return kubernetes_disturbances(self.hosts, self._days, self._stray)

    def shown(self) -> Counter[str]:
        """What is there to see beside pods."""
        of_nodes = Counter(f"node: {spell.kind}" for spell in self._desk.spells)
        without_pods = sum(each.kind == "Workload" and each.owner is None for each in self._desk.workloads)
        return of_nodes + Counter({"quota without pods": without_pods, "pod listing landed twice": 1})

    def capacity_spells(self) -> list[CapacitySpell]:
        """What befalls nodes, in the states of capacity."""
        spells = self._desk.spells
        return [CapacitySpell(each.host, STATES_OF_SPELLS[each.kind], each.starts, each.ends) for each in spells]

    def objects(self, day: int) -> Iterator[Made]:
        """What is listed and watched on a day and in the night after it."""
        starts, ends = self._days.starts[day], self._days.starts[day + 1]
        night = ends + AFTER_MIDNIGHT
        pods, spells = self._desk.pods, self._desk.spells
        if day == 0:
            listed = node_list(self.hosts, spells, at=starts + MINUTE, born=self._born)
            yield self._made("kubernetes/nodes", listed, starts + MINUTE)
        for spell in spells:
            for change, noticed in ((spell.starts, NOTICED_SECONDS), (spell.ends, 0)):
                if starts <= change < ends:
                    at = change + noticed
                    event = node_event(self.hosts, spell.host, spells, at=at, born=self._born)
                    yield self._made("kubernetes/nodes", event, at)
        yield self._made("kubernetes/nodes", node_list(self.hosts, spells, at=night, born=self._born), night)
        listing = pod_list(pods, night)
        yield self._made("kubernetes/pods", listing, night)
        if day == 1:  # the same once more: a snapshot that repeats itself
            yield self._made("kubernetes/pods", listing, night + 5 * MINUTE)
        since = self._days.at(day - 1, 24) + AFTER_MIDNIGHT if day else starts - 3 * 24 * HOUR
        yield self._made("kubernetes/pods", pod_events(pods, since, night), night + MINUTE)
        for at in (starts + EVENING_HOURS * HOUR, night):
            yield self._made("kubernetes/workloads", workload_lists(self._desk.workloads, at), at)

    def _made(self, source: str, content: bytes, at: int) -> Made:
        return Made(source, KUBERNETES, compressed(content), instant_of(at), "json.gz")


def fact_of(pod: Pod) -> RunFact:
    """What is true of a pod: it waits from creation on and holds from scheduling until the first proof of its end."""
    held_until = pod.held_until
    return RunFact(
        run=pod.uid,
        row_from=pod.created,
        row_until=FOREVER if held_until is None else held_until,
        workload_class=pod.workload_class,
        tier=pod.tier,
        owners=owners_of(pod.namespace),
        end_cause=pod.end_cause,
        started=pod.scheduled,
        ended=held_until,
        holding=pod.holding(),
        workload_ended=pod.workload_ended,
        scenes=pod.scenes,
    )


def _exporter(host: str, born: int) -> Pod:
    """The exporter's own pod on a node: it asks for no GPU, though its name stands on every series."""
    return Pod(
        uid=f"dcgm-exporter-{host}", namespace="gpu-operator", name=f"dcgm-exporter-{host[-2:]}x7f", host=host,
        containers=(Container("nvidia-dcgm-exporter", {"cpu": "1"}),), grants=(), created=born, scheduled=born + 1,
        started=born + 9, owner=Owner("DaemonSet", "apps/v1", "dcgm-exporter", "dcgm-exporter"),
        workload_class="service", restart_policy="Always",
    )  # fmt: skip
