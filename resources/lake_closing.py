"""Closing a month: a property committed on each month table, so that it is part of every snapshot that is written to.

A writer that opened the table before the closing commits against a snapshot without it, and Delta refuses that commit
since the table's metadata changed. Source: design.md 5.9. Not here: who may close, and certificates.
"""

from collections.abc import Mapping

from deltalake import CommitProperties

from chargeback.contracts.partition import Partition
from resources.lake_records import LakeRefusal
from resources.lake_state import partition_state
from resources.lake_table import OpenTable
from resources.object_store import ObjectStore

CLOSED = "chargeback.closed."


def closed_months_of(table: OpenTable) -> Mapping[str, str]:
    """Closed month -> hash of the certificate that it was closed under, in the version that is open."""
    configuration = table.delta.metadata().configuration
    return {name.removeprefix(CLOSED): value for name, value in configuration.items() if name.startswith(CLOSED)}


def certificate_of_closed_month(table: OpenTable, month: str) -> str | None:
    """Hash of the certificate that a month was closed under; None if it is open."""
    return closed_months_of(table).get(month)


def close_month_of(
    table: OpenTable, month: str, *, by: str, certificate_hash: str, store: ObjectStore, content: str | None
) -> None:
    """Close a month of one table, against exactly the version that is open. Closed already under it: nothing happens.

    Raises  LakeRefusal if it is closed under another certificate, or if the month's content is not `content` (where
    given); deltalake.exceptions.CommitFailedError if anything was committed since the table was opened.
    """
    name = table.contract.table
    closed_under = certificate_of_closed_month(table, month)
    if closed_under == certificate_hash:
        return
    if closed_under is not None:
        raise LakeRefusal(
            f"{name} {month} is closed under certificate {closed_under[:12]}, "
            f"it cannot be closed again under {certificate_hash[:12]}"
        )
    state = partition_state(table, Partition.of_month(month), store)
    stands = state.content_hash if state else "nothing"
    if content is not None and stands != content:
        raise LakeRefusal(
            f"{name} {month} cannot be closed: content {content[:12]} is certified, {stands[:12]} stands "
            f"there, which a run has made just now: let it end, then chargeback close {month} goes on from here"
        )
    table.delta.alter.set_table_properties(
        {CLOSED + month: certificate_hash},
        raise_if_not_exists=False,
        commit_properties=CommitProperties(
            custom_metadata={"closed_month": month, "closed_by": by, "certificate_hash": certificate_hash},
            max_commit_retries=0,
        ),
    )
