"""Which open months become charged, or stop being so, by an arrived approval, keyring or file of finance's figures.

Not here: the rule (chargeback/ledger/enforcement.py), what cannot be read (touched_months.py refuses it).
"""

from collections.abc import Sequence

import polars as pl

from assets.enforcement import mode_now
from assets.materialisation import month_called
from chargeback.contracts.partition import Partition
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.enforcement import ENFORCED
from chargeback.ledger.statement_document import read_document
from orchestration.touching import Touching
from orchestration.workspace import Workspace
from resources.landing import LandedObject
from resources.people_objects import PeopleRefused


def months_of_enforcement(arrived: Sequence[LandedObject], *, workspace: Workspace, months: Sequence[str]) -> Touching:
    """The open months whose statements say parallel and would say charged now, or the other way round.

    Every arrived object is named, since all that is signed decides together. Nothing where the settings say parallel.
    """
    found = Touching()
    settings = workspace.settings
    for month in months if settings.mode == ENFORCED else ():
        standing = _standing_mode(month, workspace)
        if standing is None:
            continue
        try:
            now = mode_now(
                month_called(month, settings), lake=workspace.lake, people=workspace.people, settings=settings
            )
        except PeopleRefused:  # said where the file itself is looked at
            continue
        if standing != now:
            found.touch_month(month, STATEMENTS.table, {each.key for each in arrived})
    return found


def _standing_mode(month: str, workspace: Workspace) -> str | None:
    """What the statements of a month say; None where there are none."""
    scanned = workspace.lake.scan(STATEMENTS, [Partition.of_month(month)])
    documents = scanned.frame.select(pl.col("document").first()).collect()["document"].drop_nulls()
    return str(read_document(documents[0])["mode"]) if len(documents) else None
