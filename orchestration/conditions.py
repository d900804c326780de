"""What Dagster's own conditions cannot say: changed by another run, requested now, under way, of an open month.

They run where the definitions are loaded (`use_user_code_server`). Not here: which table waits for what, which is
automation.py's.
"""

from collections.abc import Iterable, Set
from functools import lru_cache

import dagster as dg
from dagster._core.asset_graph_view.timing_metadata import TimingMetadata
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.events import DagsterEventType

from assets.closed_months import booking_month, closed_months
from chargeback.contracts.contract import Contract
from chargeback.contracts.registry import CONTRACT_OF
from resources.lake import Lake

Context = dg.AutomationContext[dg.AssetKey]
Result = dg.AutomationResult[dg.AssetKey]

EVENTS_ASKED_FOR_AT_ONCE = 500


class ContentChanged(dg.AutomationCondition[dg.AssetKey]):
    """Of what a table is made from: its content is another than at the last tick, and not by a run that made both.

    What arrives while a requested run is at work counts again: Dagster's own `since_last_handled` would forget it, as
    the run ends after the change though it read before.
    """

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "has another content since the last tick, made by a run that did not make this table too"

    async def evaluate(self, context: Context) -> Result:  # type: ignore[override]  # Dagster awaits it
        """Partitions with a new data version; none at the first tick."""
        last_tick = context.previous_temporal_context
        if last_tick is None:
            return dg.AutomationResult(context, context.get_empty_subset())
        view = context.asset_graph_view
        changed = await view.compute_data_version_changed_since_temporal_context_subset(
            key=context.key, temporal_context=last_tick
        )
        target = context.root_context.key
        made_by = _run_of_each(view.instance, context.key, changed.expensively_compute_partition_keys())
        elsewhere = {
            AssetKeyPartitionKey(context.key, partition)
            for partition, run in made_by.items()
            if target not in _planned_by(view.instance, run)
        }
        true = view.get_asset_subset_from_asset_partitions(context.key, elsewhere)
        # Newer than whatever the last tick requested, by its place in the event log: clocks need not agree.
        timing = TimingMetadata(timestamps={context.evaluation_time.timestamp(): true})
        return dg.AutomationResult(context, true, timing_metadata=timing)


class RequestedNow(dg.AutomationCondition[dg.AssetKey]):
    """Of what a table is made from: this very tick requests it, so it is not in progress yet, but will be."""

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "is requested in this tick"

    def evaluate(self, context: Context) -> Result:
        """What was requested before this table's turn."""
        wanted = context.request_subsets_by_key.get(context.key)
        return dg.AutomationResult(context, wanted or context.get_empty_subset())


class UnderWay(dg.AutomationCondition[dg.AssetKey]):
    """Some table of the same partition waits for a run or is being made: two runs of one partition would contend."""

    def __init__(self, contracts: Iterable[Contract]) -> None:
        self._tables = tuple(dg.AssetKey(contract.table) for contract in contracts)

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "a run of this partition is under way"

    async def evaluate(self, context: Context) -> Result:  # type: ignore[override]  # Dagster awaits it
        """Candidates of which a table is part of a run or backfill that has not made it yet."""
        view = context.asset_graph_view
        making: set[AssetKeyPartitionKey] = set()
        for table in self._tables if not context.candidate_subset.is_empty else ():
            whole = view.get_full_subset(key=table)
            for in_progress in (view.compute_run_in_progress_subset, view.compute_backfill_in_progress_subset):
                found = await in_progress(key=table, from_subset=whole)
                making |= {
                    AssetKeyPartitionKey(context.key, partition)
                    for partition in found.expensively_compute_partition_keys()
                }
        under_way = view.get_asset_subset_from_asset_partitions(context.key, making)
        return dg.AutomationResult(context, context.candidate_subset.compute_intersection(under_way))


class OfOpenMonth(dg.AutomationCondition[dg.AssetKey]):
    """The month is not closed in the lake for this table. Reads the lake only if something is left to ask about."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "the month is not closed"

    def evaluate(self, context: Context) -> Result:
        """Candidates without the closed months."""
        candidates = context.candidate_subset
        if candidates.is_empty:
            return dg.AutomationResult(context, candidates)
        closed = self._lake.closed_months(CONTRACT_OF[context.key.to_user_string()])
        wanted = {
            each for each in candidates.expensively_compute_asset_partitions() if each.partition_key not in closed
        }
        view = context.asset_graph_view
        return dg.AutomationResult(context, view.get_asset_subset_from_asset_partitions(context.key, wanted))


class ClosedMonthChanged(dg.AutomationCondition[dg.AssetKey]):
    """A day of a closed month has another content than at the last tick: the earliest open month books the difference.

    The closed month itself is never requested.
    """

    def __init__(self, lake: Lake, contracts: Iterable[Contract]) -> None:
        self._lake = lake
        self._tables = tuple(dg.AssetKey(contract.table) for contract in contracts)

    @property
    def description(self) -> str:
        """As the UI shows it."""
        return "a day of a closed month has another content since the last tick"

    async def evaluate(self, context: Context) -> Result:  # type: ignore[override]  # Dagster awaits it
        """The month that books corrections, or nothing; nothing at the first tick."""
        last_tick, view = context.previous_temporal_context, context.asset_graph_view
        if last_tick is None:
            return dg.AutomationResult(context, context.get_empty_subset())
        closed = closed_months(self._lake)
        changed: set[str] = set()
        for table in self._tables if closed else ():
            found = await view.compute_data_version_changed_since_temporal_context_subset(
                key=table, temporal_context=last_tick
            )
            changed |= {key.rpartition("|")[2][:7] for key in found.expensively_compute_partition_keys()}
        booking = booking_month(closed) if changed & set(closed) else None
        wanted = {AssetKeyPartitionKey(context.key, booking)} if booking else set()
        true = view.get_asset_subset_from_asset_partitions(context.key, wanted)
        timing = TimingMetadata(timestamps={context.evaluation_time.timestamp(): true})
        return dg.AutomationResult(context, context.candidate_subset.compute_intersection(true), timing_metadata=timing)


def _run_of_each(instance: dg.DagsterInstance, table: dg.AssetKey, partitions: Set[str]) -> dict[str, str]:
    """Partition -> id of the run that made it last; an empty one for what was only reported."""
    if not partitions:
        return {}
    latest = instance.get_latest_storage_id_by_partition(table, DagsterEventType.ASSET_MATERIALIZATION, set(partitions))
    ids = sorted(latest.values())
    runs: dict[int, str] = {}
    for first in range(0, len(ids), EVENTS_ASKED_FOR_AT_ONCE):
        some = ids[first : first + EVENTS_ASKED_FOR_AT_ONCE]
        events = instance.get_asset_event_summary_records(
            DagsterEventType.ASSET_MATERIALIZATION, table, storage_ids=some, limit=len(some)
        )
        runs |= {event.storage_id: event.run_id or "" for event in events}
    return {partition: runs.get(event, "") for partition, event in latest.items()}


@lru_cache(maxsize=4096)
def _planned_by(instance: dg.DagsterInstance, run_id: str) -> frozenset[dg.AssetKey]:
    """All assets that the run set out to make; a run that was launched whole names none of them itself."""
    if not run_id:
        return frozenset()
    planned = instance.get_records_for_run(run_id, of_type=DagsterEventType.ASSET_MATERIALIZATION_PLANNED)
    return frozenset(key for record in planned.records if (key := record.asset_key) is not None)
