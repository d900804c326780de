"""What stands in the lake of some days and months: charges, hours held, contents, and the versions it was read at.

Each table is read at one version. Not here: comparing two of them (chargeback/ledger/recomputation.py).
"""

from collections.abc import Sequence

from assets.materialisation import Month
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.registry import DAILY, MONTHLY
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.recomputation import Standing
from chargeback.ledger.recomputed_figures import charged_figures, held_figures
from resources.lake import Lake


def standing(lake: Lake, days: Sequence[Month], months: Sequence[Month]) -> tuple[Standing, dict[str, int]]:
    """What stands now, and table -> version. `days`: months with the chosen days; `months`: those that are open."""
    contents: dict[str, str] = {}
    versions: dict[str, int] = {}
    held, charged = {}, {}
    for contract in (*DAILY, *MONTHLY):
        if contract in MONTHLY:
            partitions = [month.partition for month in months]
        else:
            partitions = [partition for month in days for partition in month.days_of(contract)]
        scanned = lake.scan(contract, partitions)
        contents |= scanned.contents
        if scanned.version is not None:
            versions[contract.table] = scanned.version
        if contract is ATTRIBUTION:
            held = held_figures(scanned.frame)
        elif contract is TEAM_CHARGES:
            charged = charged_figures(scanned.frame.collect())
    return Standing(charged, held, contents), versions


def closed_among(lake: Lake, months: Sequence[Month]) -> list[str]:
    """The months of these that are closed on any of their tables."""
    closed = {name for contract in MONTHLY for name in lake.closed_months(contract)}
    return [month.period.month for month in months if month.period.month in closed]
