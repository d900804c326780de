"""What pods on whole GPUs and slices are there to show: how they start, end, hold on, and whose they seem to be.

Not here: GPUs that several pods share (shared_gpu_scenes.py), the ordinary work around the scenes (pod_arrivals.py).
"""

from chargeback.simulation.calendar_days import AFTER_MIDNIGHT, HOUR, MINUTE
from chargeback.simulation.estate_plan import SHARED_NAMESPACE, TEAMS, UNMAPPED_NAMESPACE
from chargeback.simulation.pod_desk import PodDesk, asked_of
from chargeback.simulation.pod_run import Container, Owner, Pod, WorkloadObject

GRACE_SECONDS = 30
LAG_SECONDS = 20 * MINUTE
"""How long an exporter may show a pod that has gone."""

NLP, CLIMATE = (next(team for team in TEAMS if team.name == name) for name in ("NLP", "Climate"))


def place_pod_scenes(desk: PodDesk) -> None:
    """Place all of them, in a fixed order; one for which no devices are free is left out."""
    scenes = (
        _across_the_edges, _services, _pulling, _ends, _preempted, _never_scheduled, _gone_unseen, _ray_job, _queued,
        _first_containers, _notebooks, _habits, _owners, _several_hosts, _slices,
    )  # fmt: skip
    for scene in scenes:
        scene(desk)


def _across_the_edges(desk: PodDesk) -> None:
    days, last = desk.days, desk.days.count - 1
    desk.run("crosses the first day's start", -1, 21, 7)
    desk.run("crosses midnight", 0, 22, 4)
    for day in range(1, days.count):
        if days.names[day].endswith("-01"):
            desk.run("crosses the month's end", day - 1, 22, 6)
    if days.clock_change is not None:
        desk.run("crosses the change of the clock", days.day_of(days.clock_change), 0.5, 5)
    desk.run("still running at the end", last, 14, None, end_cause="")


def _services(desk: PodDesk) -> None:
    """A Deployment on a slice, rolled once: pods of two ReplicaSets, the second one goes on."""
    found = desk.find("mig", profile="3g.40gb", earliest=desk.days.at(-3, 9), seconds=None, within=HOUR)
    if found is None:
        return
    grants, at = found
    rolled = desk.days.at(1, 11.3)
    for begins, template, deleted in ((at, "7c9f8d", rolled), (rolled + 40, "5d4b66", None)):
        desk.place(
            "service on a slice", grants, begins, None,
            owner=Owner("ReplicaSet", "apps/v1", f"chat-{template}", f"chat-{template}"),
            name=f"chat-{template}-{desk.suffix()}", labels={"app": "chat", "pod-template-hash": template},
            workload_class="service", restart_policy="Always", behaviour="service", deleted=deleted,
            end_cause="" if deleted is None else "cancelled", created=begins - 5, finished=None,
        )  # fmt: skip


def _pulling(desk: PodDesk) -> None:
    slow = desk.run("image pulled for long", 0, 9, 2.5, label_lag=LAG_SECONDS)
    if slow is not None and slow.scheduled is not None:
        desk.also(slow, started=slow.scheduled + 40 * MINUTE)
    never = desk.run("held and never ran", 1, 9, 1.4, waiting_reason="ImagePullBackOff", end_cause="cancelled")
    if never is not None:
        desk.also(never, started=None, finished=None, deleted=never.finished)


def _ends(desk: PodDesk) -> None:
    desk.run("out of memory", 0, 12, 0.6, exit_code=137, exit_reason="OOMKilled", end_cause="out of memory")
    desk.run("failed", 0, 13, 0.4, exit_code=1, exit_reason="Error", end_cause="failed", label_lag=LAG_SECONDS)
    desk.run(
        "ran into its limit", 1, 12, 1, exit_code=143, exit_reason="Error", status_reason="DeadlineExceeded",
        deadline_seconds=3600, end_cause="timeout",
    )  # fmt: skip
    cancelled = desk.run("cancelled", 1, 14, 0.8, end_cause="cancelled")
    if cancelled is not None:
        desk.also(cancelled, finished=None, deleted=cancelled.finished)
    evicted = desk.run(
        "evicted", 0, 15, 1.2, exit_code=137, exit_reason="Error", status_reason="Evicted", end_cause="evicted",
        disruption_reason="TerminationByKubelet",
    )  # fmt: skip
    if evicted is not None and evicted.finished is not None:
        desk.also(evicted, disrupted=evicted.finished - 4, deleted=evicted.finished + 30 * HOUR)


def _preempted(desk: PodDesk) -> None:
    found = desk.find("whole", earliest=desk.days.at(1, 15.5), seconds=3 * HOUR, within=30 * HOUR)
    if found is None:
        return
    grants, at = found
    taken = at + 80 * MINUTE
    desk.place(
        "preempted", grants, at, None, priority_class="spot", disrupted=taken, deleted=taken + GRACE_SECONDS,
        disruption_reason="PreemptionByScheduler", end_cause="preempted", finished=None,
    )  # fmt: skip
    desk.place("preempts", grants, taken + GRACE_SECONDS + 1, HOUR, priority_class="committed")


def _never_scheduled(desk: PodDesk) -> None:
    host = desk.hosts[0]
    for day, hour, hours in ((0, 10.3, 5), (1, 8.1, None)):
        at = desk.days.at(day, hour) + 7
        asked = Container("main", {"nvidia.com/gpu": "16"})
        grants = desk.find("whole", earliest=at, seconds=0, within=30 * HOUR)
        if grants is not None:
            pod = desk.place("never scheduled", grants[0], at, None, containers=(asked,), created=at, end_cause="")
            gone = None if hours is None else at + hours * HOUR
            desk.also(pod, grants=(), host=host.name, scheduled=None, started=None, finished=None, deleted=gone)


def _gone_unseen(desk: PodDesk) -> None:
    """Somebody removed it while nobody watched: it holds until the first listing without it."""
    missed = desk.days.starts[2] + AFTER_MIDNIGHT
    begun = desk.days.at(0, 20)
    found = desk.find("mig", profile="2g.20gb", earliest=begun, seconds=missed + HOUR - begun, within=2 * HOUR)
    if found is not None:
        grants, at = found
        gone = desk.days.at(1, 13.2)
        desk.place(
            "gone unseen", grants, at, None, finished=None, deleted=gone, is_silent=True, missing_from=missed,
            end_cause="cancelled",
        )  # fmt: skip


def _ray_job(desk: PodDesk) -> None:
    """The job ends; its cluster, and the GPUs of its workers, live on for two hours."""
    namespace, at, ended = NLP.namespace, desk.days.at(0, 16), desk.days.at(0, 18)
    job = Owner("RayJob", "ray.io/v1", "tune-lm", desk.uid())
    cluster = Owner("RayCluster", "ray.io/v1", "tune-lm-raycluster-k7x2p", desk.uid())
    workers: list[Pod] = []
    for number in range(2):
        found = desk.find("whole", earliest=at, seconds=4 * HOUR, within=HOUR)
        if found is not None:
            labels = {
                "ray.io/cluster": cluster.name, "ray.io/node-type": "worker", "ray.io/is-ray-node": "yes",
                "ray.io/originated-from-cr-name": job.name, "ray.io/originated-from-crd": "RayJob",
            }  # fmt: skip
            workers.append(
                desk.place(
                    "Ray cluster after its job", *found, None, team=NLP, owner=cluster, labels=labels, finished=None,
                    name=f"{cluster.name}-worker-{number}-{desk.suffix()}", deleted=found[1] + 4 * HOUR,
                    end_cause="cancelled", workload_ended=ended, restart_policy="Always",
                )
            )  # fmt: skip
    if workers:
        gone = max(pod.deleted or 0 for pod in workers)
        desk.workloads += [
            WorkloadObject("RayJob", job.uid, namespace, job.name, at - 60, ended, cluster_name=cluster.name),
            WorkloadObject(
                "RayCluster", cluster.uid, namespace, cluster.name, at - 50, None, gone, job, pods=len(workers)
            ),
        ]


def _queued(desk: PodDesk) -> None:
    """Kueue admitted a job that runs, and one that keeps its quota without any pod."""
    pod = desk.run("queued by Kueue", 0, 8, 3)
    if pod is not None and pod.owner is not None:
        labels = {**pod.labels, "kueue.x-k8s.io/queue-name": "research"}
        desk.also(pod, labels=labels, workload_ended=pod.finished)
        owned = WorkloadObject(
            "Workload", desk.uid(), pod.namespace, f"job-{pod.owner.name}", pod.created - 20, pod.finished,
            owner=pod.owner, queue="research", gpus=1, pods=1,
        )  # fmt: skip
        desk.workloads.append(owned)
    at = desk.days.at(1, 10)
    nobody = WorkloadObject(
        "Workload", desk.uid(), CLIMATE.namespace, "job-sweep-9", at, at + 5 * HOUR, queue="research", gpus=8, pods=1
    )
    desk.workloads.append(nobody)


def _first_containers(desk: PodDesk) -> None:
    pod = desk.run("init container asks most", 0, 7, 1.1, count=2)
    if pod is not None:
        asked = (
            Container("main", asked_of(pod.grants[:1])), Container("fetch", asked_of(pod.grants), kind="init")
        )  # fmt: skip
        desk.also(pod, containers=asked)


def _notebooks(desk: PodDesk) -> None:
    """A notebook that computes hardly ever, and a second one under the same name."""
    owner = Owner("StatefulSet", "apps/v1", "nb-mila", desk.uid())
    for day, hour in ((0, 11), (1, 11)):
        pod = desk.run("same name twice", day, hour, 2.5, team=CLIMATE, owner=owner, behaviour="idle")
        if pod is not None:
            desk.also(
                pod, name="nb-mila-0", labels={"notebook-name": "nb-mila"}, workload_class="interactive",
                restart_policy="Always", finished=None, deleted=pod.finished, end_cause="cancelled",
            )  # fmt: skip


def _habits(desk: PodDesk) -> None:
    desk.run("starved", 0, 2, 3, behaviour="starved")
    desk.run("poker", 0, 4, 6, behaviour="poker")
    desk.run("idle holder", 1, 1, 5, behaviour="idle")


def _owners(desk: PodDesk) -> None:
    desk.run("mislabelled", 1, 4, 2, team=CLIMATE, labels={"team": NLP.account})
    desk.run("unmapped namespace", 1, 6, 1.5, namespace=UNMAPPED_NAMESPACE, labels={})
    desk.run("shared namespace", 1, 7, 1.5, namespace=SHARED_NAMESPACE, labels={})


def _several_hosts(desk: PodDesk) -> None:
    """Pods of one group, on different hosts where there are several with whole GPUs."""
    hosts = [host for host in desk.hosts if host.of_kind("whole")]
    at = desk.days.at(0, 18)
    for host in (hosts * 2)[:2]:
        found = desk.find("whole", earliest=at, seconds=HOUR + 5, within=12 * HOUR, hosts=(host,))
        if found is not None:
            pod = desk.place("several pods of one group", *found, HOUR + 5, team=NLP)
            desk.also(pod, labels={**pod.labels, "scheduling.x-k8s.io/pod-group": "allreduce"})


def _slices(desk: PodDesk) -> None:
    desk.run("MIG slice", 0, 9, 3, kind="mig", profile="1g.10gb")
    desk.run("MIG slice", 1, 13, 4, kind="mig", profile="1g.10gb", behaviour="starved")
    desk.run("MIG slice", 0, 6, 2, kind="mig", profile="2g.20gb")
