"""The condition under which a month is rated again because a day came: what nobody claimed of it fell due.

Not here: what falls due when (resources/due_dates.py), what becomes of it (chargeback/pricing/credits.py).
"""

from datetime import datetime

import dagster as dg
from dagster._core.definitions.events import AssetKeyPartitionKey

from assets.rating_terms import rated_before_due
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from resources.due_dates import is_suspense_due
from resources.lake import Lake
from resources.settings import Settings

Context = dg.AutomationContext[dg.AssetKey]
Result = dg.AutomationResult[dg.AssetKey]


class SuspenseFellDue(dg.AutomationCondition[dg.AssetKey]):
    """The month was rated while its suspense was not due, and now it is. The lake is read for months that are due."""

    def __init__(self, lake: Lake, settings: Settings) -> None:
        self._lake, self._settings = lake, settings

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "its suspense fell due since it was rated"

    def evaluate(self, context: Context) -> Result:
        """Candidates whose recorded terms say that nothing was due."""
        due = [
            Partition.of_month(each.partition_key)
            for each in context.candidate_subset.expensively_compute_asset_partitions()
            if each.partition_key is not None and self._is_due(each.partition_key, context.evaluation_time)
        ]
        states = self._lake.states(RATED_USAGE, due) if due else {}
        wanted = {
            AssetKeyPartitionKey(context.key, key)
            for key, state in states.items()
            if state is not None and rated_before_due(state.inputs)
        }
        view = context.asset_graph_view
        return dg.AutomationResult(context, view.get_asset_subset_from_asset_partitions(context.key, wanted))

    def _is_due(self, month: str, at: datetime) -> bool:
        return is_suspense_due(BillingPeriod(month, self._settings.zone), self._settings, at=at)
