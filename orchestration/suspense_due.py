"""The condition under which a month is computed again because a day came: its suspense falls due.

Whether it is due is an input of `rated_usage` (docs/decisions/0029); without this, only a month that is brought up to
date for another reason would ask again. Not here: what falls due and who bears it (assets/rating_terms.py).
"""

import dagster as dg
import polars as pl
from dagster._core.asset_graph_view.timing_metadata import TimingMetadata
from dagster._core.definitions.events import AssetKeyPartitionKey

from assets.materialisation import month_called
from chargeback.contracts.names import UNATTRIBUTED
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.conditions import Context, Result
from resources.due_dates import due_at
from resources.lake import Lake
from resources.settings import Settings


class SuspenseDue(dg.AutomationCondition[dg.AssetKey]):
    """The due instant of a month passed since the last tick, and somebody's charge is still in its suspense.

    By the clock of the evaluation, however long the sensor was off between two ticks. Nothing at the first tick, and
    nothing where `suspense_due_days` is 0. The lake is read only for a month whose instant has just passed.
    """

    def __init__(self, lake: Lake, settings: Settings) -> None:
        self._lake = lake
        self._settings = settings

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return (
            f"suspense fell due since the last tick: {self._settings.policies.suspense_due_days} days after the month"
        )

    def evaluate(self, context: Context) -> Result:
        """Months of which it passed, open or not: closed ones are left out elsewhere."""
        last, now = context.previous_evaluation_time, context.evaluation_time
        days, view = self._settings.policies.suspense_due_days, context.asset_graph_view
        if last is None or days == 0:
            return dg.AutomationResult(context, context.get_empty_subset())
        months = view.get_full_subset(key=context.key).expensively_compute_partition_keys()
        due = {
            AssetKeyPartitionKey(context.key, month)
            for month in months
            if last < due_at(month_called(month, self._settings).period.interval.end, days=days) <= now
            and self._has_suspense(month)
        }
        true = view.get_asset_subset_from_asset_partitions(context.key, due)
        timing = TimingMetadata(timestamps={now.timestamp(): true})
        return dg.AutomationResult(context, context.candidate_subset.compute_intersection(true), timing_metadata=timing)

    def _has_suspense(self, month: str) -> bool:
        lines = self._lake.scan(TEAM_CHARGES, [Partition.of_month(month)]).frame
        return bool(len(lines.filter(pl.col("team") == UNATTRIBUTED).head(1).collect()))
