"""One job for each partition set, and the schedules that run them; schedules are off until somebody turns them on."""

from functools import cache

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from chargeback.contracts.registry import DAILY, MONTHLY, daily_tables_of
from orchestration.partitions import Calendar
from resources.settings import Settings

DAY_JOB = "bill_cluster_day"
MONTH_JOB = "bill_month"
NIGHTLY = "0 3 * * *"
EACH_MORNING = "0 5 * * *"


@cache  # sensors name their jobs by these very objects
def all_jobs() -> list[UnresolvedAssetJobDefinition]:
    """From landing to attribution for one cluster and day; from rated usage to postings for one month."""
    return [
        dg.define_asset_job(
            DAY_JOB,
            selection=dg.AssetSelection.assets(*(contract.table for contract in DAILY)),
            executor_def=dg.in_process_executor,
            description="Landing objects to attribution, for one cluster and day: the unit that scales out.",
        ),
        dg.define_asset_job(
            MONTH_JOB,
            selection=dg.AssetSelection.assets(*(contract.table for contract in MONTHLY)),
            executor_def=dg.in_process_executor,
            description="Rated usage to postings, for one month: preview, gate, publication, outbox.",
        ),
    ]


def day_tables(scheduler: str) -> list[dg.AssetKey]:
    """The assets of a day of a cluster of that scheduler."""
    return [dg.AssetKey(contract.table) for contract in daily_tables_of(scheduler)]


def schedules_on(calendar: Calendar, settings: Settings) -> list[dg.ScheduleDefinition]:
    """Yesterday of every cluster each night, then the running month; both stopped by default."""
    timezone = settings.timezone

    @dg.schedule(
        job_name=DAY_JOB, cron_schedule=NIGHTLY, execution_timezone=timezone, name="yesterday_of_every_cluster"
    )
    def yesterday(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
        """The last whole day of every cluster, with the tables that its scheduler has."""
        days = calendar.cluster_days.get_partitions_def_for_dimension("day")
        clusters = calendar.cluster_days.get_partitions_def_for_dimension("cluster")
        keys = days.get_partition_keys(current_time=context.scheduled_execution_time)
        return [
            dg.RunRequest(
                run_key=f"{cluster} {keys[-2]}",
                partition_key=dg.MultiPartitionKey({"cluster": cluster, "day": keys[-2]}),
                asset_selection=day_tables(settings.cluster(cluster).scheduler),
            )
            for cluster in clusters.get_partition_keys()
            if len(keys) > 1
        ]

    @dg.schedule(job_name=MONTH_JOB, cron_schedule=EACH_MORNING, execution_timezone=timezone, name="running_month")
    def running_month(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
        """The month that runs: a preview every day."""
        keys = calendar.months.get_partition_keys(current_time=context.scheduled_execution_time)
        return dg.RunRequest(partition_key=keys[-1])

    return [yesterday, running_month]
