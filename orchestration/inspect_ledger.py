"""What `chargeback inspect` says of an extract of the general ledger: rows that can be read, and those that cannot.

Not here: reading it (chargeback/ledger/general_ledger.py), what schedulers write (chargeback/usage/inspect_extract.py).
"""

from chargeback.ledger.general_ledger import read_general_ledger
from chargeback.usage.extract import Quarantined
from chargeback.usage.inspection import BILLS_NOTHING, Inspection
from chargeback.usage.people_kinds import FINANCE_REFERENCE


def inspect_ledger(content: bytes, *, name: str) -> Inspection:
    """The inspection: nobody is charged by it. Its currency is held against the lake's only where it is landed."""
    ledger = read_general_ledger(content, object_key=name)
    quarantined = tuple(Quarantined(row.line, row.reason, "", None) for row in ledger.quarantined)
    read = len(ledger.posted)
    return Inspection(
        name, f"{FINANCE_REFERENCE}: general ledger", read + len(quarantined), {BILLS_NOTHING: read} if read else {},
        quarantined,
    )  # fmt: skip
