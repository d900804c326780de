"""The FOCUS files of a closed month that say so, beside those that were published before it was closed.

    published/2026-10/closed-<certificate>/focus/focus-1.4-billing-period-2026-10.csv

Nothing that was let out is overwritten and no closed table changes. Not here: what they say (focus_closed.py).
"""

from chargeback.contracts.partition import Partition
from chargeback.ledger.focus_closed import STATUS_ONCE_CLOSED, once_closed
from chargeback.ledger.focus_files import FILE_KINDS, render_focus
from orchestration.workspace import Workspace

SHOWN_DIGITS = 12


def let_out_closed(month: str, certificate_hash: str, workspace: Workspace) -> tuple[str, ...]:
    """Write the files that are not there yet; the keys of those that are new.

    A closed month has the same bytes each time, so that a closing that was cut short before them is repeated safely.
    Raises ObjectConflict if one stands there with other bytes.
    """
    folder = f"published/{month}/closed-{certificate_hash[:SHOWN_DIGITS]}/focus"
    new = []
    for contract, stem, _ in STATUS_ONCE_CLOSED:
        rows = once_closed(workspace.lake.scan(contract, [Partition.of_month(month)]).frame, contract)
        for kind in FILE_KINDS:
            key = f"{folder}/{stem}-{month}.{kind}"
            if workspace.store.put_new(key, render_focus(rows, kind)):
                new.append(key)
    return tuple(new)
