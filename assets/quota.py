"""Quota of a month that no pod held, from the days of its Kubernetes clusters. Not here: the rule, which is a day's."""

import polars as pl

from assets.materialisation import Month
from chargeback.billing_period import day_interval
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.ledger.exceptions import QUOTA
from chargeback.usage.kubernetes_quota import quota_without_pods
from resources.lake_records import Scanned


def quota_of_month(raw_workloads: Scanned, runs: Scanned, month: Month) -> pl.DataFrame:
    """`exceptions.QUOTA` in order of cluster and day: only days on which some workload had a quota are looked at."""
    found = [pl.DataFrame(schema=QUOTA)]
    admitted = raw_workloads.frame.filter(pl.col("quotaGpus") > 0, pl.col("admitted").is_not_null()).collect()
    for (cluster, day), workloads in sorted(admitted.partition_by("cluster", "day", as_dict=True).items()):
        pods = runs.frame.filter(pl.col("cluster") == cluster, pl.col("day") == day).select(RUNS.column_names).collect()
        unused = quota_without_pods(
            workloads.select(RAW_WORKLOADS.column_names), pods, interval=day_interval(str(day), month.period.zone)
        )
        found.append(unused.with_columns(cluster=pl.lit(cluster), day=pl.lit(day)).select(QUOTA.keys()))
    return pl.concat(found)
