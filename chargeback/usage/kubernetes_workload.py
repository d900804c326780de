"""What a person submitted, found from a pod by its chain of owners and by labels; and the shape of that work.

Not here: queues, users and gangs (kubernetes_attributes.py), what the pod holds.
"""

from collections.abc import Mapping

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.usage.json_texts import picked

LONGEST_CHAIN = 6
"""Owners above a pod: Pod, ReplicaSet, Deployment, Revision, Configuration, Service, InferenceService."""

LABELS = {
    "ray_kind": ("ray.io/originated-from-crd",),
    "ray_name": ("ray.io/originated-from-cr-name",),
    "notebook": ("notebook-name",),
    "inference_service": ("serving.kserve.io/inferenceservice",),
    "job_set": ("jobset.sigs.k8s.io/jobset-name",),
    "leader_worker_set": ("leaderworkerset.sigs.k8s.io/name",),
    "template_hash": ("pod-template-hash",),
    "hub_user": ("hub.jupyter.org/username",),
    "hub_component": ("component",),
    "task_type": ("determined.ai/task_type",),
}
"""Labels of controllers, where the chain of owners does not reach or its objects were not extracted."""

BATCH = (
    "Job", "CronJob", "JobSet", "RayJob", "RayCronJob", "PyTorchJob", "MPIJob", "TFJob", "XGBoostJob", "PaddleJob",
    "JAXJob", "TrainJob", "AppWrapper", "Workflow", "CronWorkflow", "SparkApplication", "PipelineRun", "TaskRun",
)  # fmt: skip
SERVICE = (
    "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "InferenceService", "RayService", "LeaderWorkerSet",
    "ReplicationController", "Rollout", "Revision", "Configuration", "Service", "Node",
)  # fmt: skip
INTERACTIVE = ("Notebook", "JupyterHub")
INTERACTIVE_TASKS = ("NOTEBOOK", "SHELL", "COMMAND-SHELL", "TENSORBOARD")

_OWNER = ("owner_kind", "owner_name", "owner_uid")


def with_workloads(pods: pl.DataFrame, raw_workloads: pl.DataFrame, *, classes: Mapping[str, str]) -> pl.DataFrame:
    """Add workload, workload_ended and workload_class.

    Input:   contracts.raw_pods with `queue`; contracts.raw_workloads of the same day; `classes` maps a queue, or
             namespace/queue, to a class and comes first.
    Output:  `workload`: kind and name of the topmost owner, `Job/train`; a ReplicaSet that is not on record is the
             Deployment that its template hash is cut from; Ray, KServe, notebook, JobSet and LeaderWorkerSet labels
             name what no record shows; else the pod itself. `workload_ended`: when the topmost owner that has an end
             ended, else when its Kueue Workload was finished, else when the workload of that kind and name ended, if
             there was but one (of a RayJob whose RayCluster no listing showed). `workload_class`: by the kind of the
             workload; of bare pods and unknown kinds interactive with a terminal, service if restarted always, else
             batch.
    Source:  design.md 2 "workload", "workload class"; case K03.
    """
    labelled = pods.join(picked(pods["labels"], LABELS), left_on="labels", right_on="text", how="left", validate="m:1")
    found = _with_top_owners(labelled, raw_workloads)
    kind, name = _kind_and_name()
    named = _with_ends_by_name(found.with_columns(workload_kind=kind, workload_name=name), raw_workloads)
    return named.with_columns(
        workload=pl.concat_str("workload_kind", "workload_name", separator="/"),
        workload_class=pl.coalesce(
            _mapped(pl.concat_str("namespace", "queue", separator="/"), classes),
            _mapped(pl.col("queue"), classes),
            _class(),
        ),
    ).drop(*LABELS, *_OWNER, "workload_kind", "workload_name")


def _with_top_owners(pods: pl.DataFrame, raw_workloads: pl.DataFrame) -> pl.DataFrame:
    """Add owner_kind, owner_name and owner_uid of the topmost owner, and workload_ended."""
    objects = raw_workloads.select("uid", "ownerKind", "ownerName", "ownerUid", "ended").unique("uid", keep="last")
    finished = raw_workloads.filter(pl.col("kind") == "Workload", pl.col("ended").is_not_null())
    kueue = finished.group_by(owned=pl.col("ownerUid")).agg(_finished=pl.col("ended").min())
    none = pl.lit(None, INSTANT)
    chain = pods.with_columns(
        owner_kind="ownerKind", owner_name="ownerName", owner_uid="ownerUid", workload_ended=none, quota_ended=none
    )
    for _ in range(LONGEST_CHAIN):
        above = chain.join(
            objects.rename({name: f"_{name}" for name in ("ownerKind", "ownerName", "ownerUid", "ended")}),
            left_on="owner_uid", right_on="uid", how="left", validate="m:1",
        ).join(kueue, left_on="owner_uid", right_on="owned", how="left", validate="m:1")  # fmt: skip
        has_owner = pl.col("_ownerUid").is_not_null() & pl.col("_ownerName").is_not_null()
        chain = above.with_columns(
            owner_kind=pl.when(has_owner).then("_ownerKind").otherwise("owner_kind"),
            owner_name=pl.when(has_owner).then("_ownerName").otherwise("owner_name"),
            owner_uid=pl.when(has_owner).then("_ownerUid").otherwise("owner_uid"),
            workload_ended=pl.coalesce("_ended", "workload_ended"),
            quota_ended=pl.coalesce("_finished", "quota_ended"),
        ).drop("_ownerKind", "_ownerName", "_ownerUid", "_ended", "_finished")
    return chain.with_columns(workload_ended=pl.coalesce("workload_ended", "quota_ended")).drop("quota_ended")


def _with_ends_by_name(pods: pl.DataFrame, raw_workloads: pl.DataFrame) -> pl.DataFrame:
    """Complete workload_ended where the chain of owners breaks before the workload that a label names."""
    place = ["namespace", "workload_kind", "workload_name"]
    by_name = raw_workloads.rename({"kind": "workload_kind", "name": "workload_name"}).group_by(place)
    only = by_name.agg(pl.len().alias("_alike"), pl.col("ended").first().alias("_ended")).filter(pl.col("_alike") == 1)
    return (
        pods.join(only, on=place, how="left", validate="m:1")
        .with_columns(workload_ended=pl.coalesce("workload_ended", "_ended"))
        .drop("_alike", "_ended")
    )


def _kind_and_name() -> tuple[pl.Expr, pl.Expr]:
    """The kind and the name of the workload, each by the first rule that fits."""
    owner, has_owner = pl.col("owner_kind"), pl.col("owner_name").is_not_null()
    is_hub_pod = pl.col("hub_user").is_not_null() | (pl.col("hub_component") == "singleuser-server")
    is_of_deployment = (owner == "ReplicaSet") & pl.col("owner_name").str.ends_with(
        pl.concat_str(pl.lit("-"), "template_hash")
    )
    rules = [
        (pl.col("notebook").is_not_null() & (owner == "StatefulSet"), pl.lit("Notebook"), pl.col("notebook")),
        (is_hub_pod & ~has_owner, pl.lit("JupyterHub"), pl.coalesce("hub_user", "name")),
        (pl.col("inference_service").is_not_null() & (owner != "InferenceService"), pl.lit("InferenceService"),
         pl.col("inference_service")),
        (pl.col("ray_name").is_not_null() & (owner == "RayCluster"), pl.coalesce("ray_kind", owner),
         pl.col("ray_name")),
        (pl.col("job_set").is_not_null() & (owner == "Job"), pl.lit("JobSet"), pl.col("job_set")),
        (pl.col("leader_worker_set").is_not_null() & owner.is_in(["StatefulSet", "Pod"]), pl.lit("LeaderWorkerSet"),
         pl.col("leader_worker_set")),
        (is_of_deployment, pl.lit("Deployment"),
         pl.col("owner_name").str.strip_suffix(pl.concat_str(pl.lit("-"), "template_hash"))),
        (has_owner, owner, pl.col("owner_name")),
    ]  # fmt: skip
    kind, name = pl.lit("Pod"), pl.col("name")
    for fits, its_kind, its_name in reversed(rules):
        kind = pl.when(fits.fill_null(False)).then(its_kind).otherwise(kind)
        name = pl.when(fits.fill_null(False)).then(its_name).otherwise(name)
    return kind, name


def _class() -> pl.Expr:
    kind = pl.col("workload_kind")
    is_always_on = (pl.col("restartPolicy") == "Always").fill_null(False)
    return (
        pl.when(kind.is_in(INTERACTIVE) | pl.col("task_type").str.to_uppercase().is_in(INTERACTIVE_TASKS))
        .then(pl.lit("interactive"))
        .when(kind.is_in(BATCH))
        .then(pl.lit("batch"))
        .when(kind.is_in(SERVICE))
        .then(pl.lit("service"))
        .when((kind == "Pod") & pl.col("tty"))
        .then(pl.lit("interactive"))
        .when(is_always_on)
        .then(pl.lit("service"))
        .otherwise(pl.lit("batch"))
    )


def _mapped(key: pl.Expr, classes: Mapping[str, str]) -> pl.Expr:
    return key.replace_strict(dict(classes), default=None, return_dtype=pl.String)
