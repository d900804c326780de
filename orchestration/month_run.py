"""One run of a month's tables from what stands in its days, and again where others changed the days meanwhile.

Two bills or backfills may work on one lake: a month that was read before the other's last day must not be what remains.
Not here: what the run means for the gate (bill.py).
"""

from concurrent.futures import Executor

from assets.materialisation import Month
from chargeback.contracts.registry import DAILY
from orchestration.jobs import MONTH_JOB
from orchestration.progress import Progress
from orchestration.workers import RunOutcome, run_partitions
from resources.lake import Lake

MOST_TIMES = 5


def run_month(pool: Executor, month: Month, lake: Lake, progress: Progress) -> RunOutcome:
    """Compute the tables of a month; again, a few times at most, if somebody changed days meanwhile."""
    name = month.period.month
    progress.begin(f"month {name}", 1)
    for attempt in range(1, MOST_TIMES + 1):
        before = _versions(lake)
        (run,) = run_partitions(pool, MONTH_JOB, [name], ended=lambda _: None)
        if attempt == MOST_TIMES or _versions(lake) == before:
            break
    progress.step(name)
    return run


def _versions(lake: Lake) -> dict[str, int | None]:
    """Table -> version, of the tables that a month is made from."""
    return {contract.table: lake.scan(contract, ()).version for contract in DAILY}
