"""What the runs of a job block of their hosts beyond the GPUs that they hold: shown by `chargeback job`, never charged.

Not here: the rule (chargeback/pricing/blocked_by_run.py), how it is printed (job_tables.py).
"""

from collections.abc import Mapping
from fractions import Fraction

import polars as pl

from assets.materialisation import month_called
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.partition import Partition
from chargeback.ledger.plain_numbers import decimal_text, hours_text
from chargeback.ledger.statement_document import Document
from chargeback.money import SECONDS_PER_HOUR
from chargeback.pricing.blocked_by_run import Blocked, blocked_by_run
from chargeback.pricing.gpu_equivalents import NodeShape
from orchestration.workspace import Workspace
from resources.people_objects import PeopleRefused

NOTHING = {"gpu_equivalents": "", "blocked_by": "", "blocked_hours": ""}


def with_blocked(document: Document, runs: pl.DataFrame, workspace: Workspace) -> Document:
    """The document of a job whose runs say what they block, in texts; empty where it is nothing or not known.

    `runs` are contracts.runs of the job. Known of Slurm runs on one host with whole GPUs of one accelerator whose
    `node` the card of the month states, with the host's capacity: else nothing is said.
    """
    facts = {row["run"]: row for row in runs.sort("day").iter_rows(named=True)}
    shapes: dict[str, Mapping[str, NodeShape]] = {}
    told = []
    for run in document["runs"]:
        found = _blocked(run, facts[run["run"]], document["cluster"], shapes, workspace)
        told.append({**run, **(NOTHING if found is None else _texts(found, Fraction(run["did"]["gpu_seconds"])))})
    return {**document, "runs": told}


def _texts(blocked: Blocked, gpu_seconds: Fraction) -> dict[str, str]:
    return {
        "gpu_equivalents": decimal_text(blocked.equivalents, decimals=2),
        "blocked_by": blocked.by,
        "blocked_hours": hours_text(gpu_seconds / blocked.gpus * blocked.beyond),
    }


def _blocked(
    run: Document,
    facts: Mapping[str, object],
    cluster: str,
    shapes: dict[str, Mapping[str, NodeShape]],
    workspace: Workspace,
) -> Blocked | None:
    kinds = {(device["host"], device["accelerator"], device["sharing"]) for device in run["devices"]}
    if facts["scheduler"] != "slurm" or facts["host_count"] != 1 or len(kinds) != 1 or not facts["gpu_count"]:
        return None
    ((host, accelerator, sharing),) = kinds
    day = str(facts["day"])
    if day[:7] not in shapes:
        shapes[day[:7]] = _shapes(day[:7], workspace)
    shape = shapes[day[:7]].get(accelerator)
    if sharing != "whole" or shape is None:
        return None
    host_gpus = _host_gpus(Partition.of_day(cluster, day), host, accelerator, workspace)
    gpus, granted = int(str(facts["gpu_count"])), str(facts["alloc_tres"] or "")
    return blocked_by_run(granted, gpus=gpus, host_gpus=host_gpus, shape=shape)


def _shapes(month: str, workspace: Workspace) -> Mapping[str, NodeShape]:
    """Accelerator -> CPUs and memory of a GPU, by the card of a month; none where no card can be read."""
    settings = workspace.settings
    try:
        card, _ = workspace.people.rate_card(month_called(month, settings).period, currency=settings.currency_code)
    except PeopleRefused:
        return {}
    return {shape.accelerator: shape for shape in card.node_shapes}


def _host_gpus(day: Partition, host: str, accelerator: str, workspace: Workspace) -> Fraction:
    """GPUs of a host in the inventory of a day; 0 where it has none."""
    rows = workspace.lake.scan(CAPACITY, [day]).frame
    own = rows.filter((pl.col("host") == host) & (pl.col("accelerator") == accelerator))
    whole = own.select("capacity_unit_seconds", "units_per_gpu").unique().collect()
    return max(
        (Fraction(seconds, units * SECONDS_PER_HOUR) for seconds, units in whole.iter_rows()), default=Fraction(0)
    )
