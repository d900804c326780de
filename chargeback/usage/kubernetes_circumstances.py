"""What befalls Kubernetes nodes during a day: not ready, cordoned, held in part by a pod of unknown count.

Not here: how many GPUs that concerns (capacity.py); what holds on a cordoned or lost node stays held.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.circumstances import cut_spells, spells_of_runs


def kubernetes_circumstances_of_day(
    raw_kubernetes_nodes: pl.DataFrame, runs: pl.DataFrame, *, interval: Interval
) -> pl.DataFrame:
    """Spells of every circumstance, cut to the day.

    Input:   contracts.raw_kubernetes_nodes and runs of one (cluster, day).
    Output:  usage/circumstances.py SPELLS. A node that is not ready is `unplanned` out of service, a cordoned one
             `planned`; from the instant that the record names, else from when it was first said, until it is first said
             not to be. `unknown`: a pod whose GPU count nobody can know.
    Source:  design.md 2 "out of service"; 5.3; 5.4.
    """
    nodes = raw_kubernetes_nodes.sort("name", "statedFrom").with_columns(
        not_ready=(pl.col("ready") != "True").fill_null(False)
    )
    lost = _stretches(nodes, pl.col("not_ready"), since="readySince", until="readySince", circumstance="unplanned")
    cordoned = _stretches(nodes, pl.col("unschedulable"), since="cordonedSince", until=None, circumstance="planned")
    return pl.concat([cut_spells(spells, interval) for spells in (lost, cordoned, spells_of_runs(runs))])


def _stretches(
    nodes: pl.DataFrame, is_so: pl.Expr, *, since: str, until: str | None, circumstance: str
) -> pl.DataFrame:
    """host, circumstance, begins, ends of the stretches in which it is so.

    `since` is when the record says that it became so, `until` when the next stretch says that it ended.
    """
    said = nodes.with_columns(is_so=is_so, begins=pl.min_horizontal("statedFrom", since))
    ends_then = (pl.col("name") == pl.col("name").shift(-1)) & ~pl.col("is_so").shift(-1)
    said_to_end = pl.max_horizontal("begins", pl.col(until).shift(-1)) if until else pl.col("statedUntil")
    ends = pl.when(ends_then).then(pl.min_horizontal("statedUntil", said_to_end)).otherwise("statedUntil")
    return (
        said.with_columns(ends=ends)
        .filter("is_so")
        .select("begins", "ends", host="name", circumstance=pl.lit(circumstance))
        .select("host", "circumstance", "begins", "ends")
    )
