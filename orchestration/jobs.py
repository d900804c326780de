"""One job for each partition set, and the one thing that the clock alone can know: that a day is over.

Not here: what arriving objects request (sensors.py), and months, which follow by conditions (automation.py).
"""

from functools import cache

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.registry import DAILY, MONTHLY, daily_tables_of
from orchestration.partitions import Calendar
from resources.settings import Settings

DAY_JOB = "bill_cluster_day"
MONTH_JOB = "bill_month"
POST_JOB = "post_month"
NIGHTLY = "0 3 * * *"


@cache  # sensors name their jobs by these very objects
def all_jobs() -> list[UnresolvedAssetJobDefinition]:
    """From landing to attribution for one cluster and day; from rated usage to postings for one month; sending one."""
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
            description="Rated usage to postings, for one month: preview, gate, publication, what is meant to be sent.",
        ),
        dg.define_asset_job(
            POST_JOB,
            selection=dg.AssetSelection.assets(OUTBOX.table),
            executor_def=dg.in_process_executor,
            description="Sends what is prepared of one month to the finance system; refused while it runs in parallel.",
        ),
    ]


def day_tables(scheduler: str) -> list[dg.AssetKey]:
    """The assets of a day of a cluster of that scheduler."""
    return [dg.AssetKey(contract.table) for contract in daily_tables_of(scheduler)]


def schedules_on(calendar: Calendar, settings: Settings) -> list[dg.ScheduleDefinition]:
    """Yesterday of every cluster each night, on if automation.enabled.

    A day of which no object speaks is requested by no arrival, yet its tables must stand, empty, for its month to be
    certified, and somebody must be told that nothing came.
    """
    is_on = settings.automation.enabled

    @dg.schedule(
        job_name=DAY_JOB,
        cron_schedule=NIGHTLY,
        execution_timezone=settings.timezone,
        name="yesterday_of_every_cluster",
        default_status=dg.DefaultScheduleStatus.RUNNING if is_on else dg.DefaultScheduleStatus.STOPPED,
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

    return [yesterday]
