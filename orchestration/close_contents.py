"""What a closing has to find on every month table, and how one that was cut short gets back to what was approved.

From the first closed table on, the month is closed under its certificate: what a run made of the tables that were still
open is not what the controller signed. The certified content is kept in the table's history and is put back.
Not here: who may close (close.py), the property on the tables (resources/lake_closing.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import MONTHLY
from orchestration.workspace import Workspace
from resources.lake_history import PastContent, past_contents
from resources.lake_records import LakeRefusal, Provenance

CLOSING_ORDER: tuple[Contract, ...] = (CERTIFICATE, *(each for each in MONTHLY if each is not CERTIFICATE))
"""The certificate first: once it is closed, nothing can make another one of this month, and it says what to find."""

PUT_BACK_BY = "chargeback close"


@dataclass(frozen=True, slots=True)
class Differs:
    """A table of the month whose content is not the certified one. `stands` is None where nothing stands."""

    contract: Contract
    certified: str
    stands: str | None

    def told(self, month: str) -> str:
        """What differs, in a line."""
        stands = self.stands[:12] if self.stands else "nothing"
        return f"{self.contract.table} {month}: content {self.certified[:12]} is certified, {stands} stands there"


def certified_contents(month: str, certificate_hash: str, workspace: Workspace) -> dict[str, str]:
    """Table -> content that a certificate names of the month, its own among them; from history if it was replaced.

    Raises LakeRefusal if the lake has no such certificate any more.
    """
    partition = Partition.of_month(month)
    state = workspace.lake.state(CERTIFICATE, partition)
    version = None
    if state is None or state.content_hash != certificate_hash:
        version = _kept(CERTIFICATE, partition, certificate_hash, workspace).version
    rows = workspace.lake.scan(CERTIFICATE, [partition], version=version).frame
    named = rows.filter(pl.col("partition") == month).select("table_name", "content_hash").unique().collect()
    return {**dict(named.iter_rows()), CERTIFICATE.table: certificate_hash}


def differing(month: str, contents: Mapping[str, str], workspace: Workspace) -> list[Differs]:
    """The tables whose content is not the certified one, in the order of closing."""
    partition = Partition.of_month(month)
    found = []
    for contract in (each for each in CLOSING_ORDER if each.table in contents):
        state = workspace.lake.state(contract, partition)
        stands = state.content_hash if state else None
        if stands != contents[contract.table]:
            found.append(Differs(contract, contents[contract.table], stands))
    return found


def put_back(month: str, differs: list[Differs], workspace: Workspace) -> tuple[str, ...]:
    """Make the certified contents stand again, each from its table's history; one line a table that was put back.

    All of them are looked for before the first is written. Repeating it after any failure is safe.
    Raises  LakeRefusal with every content that is not kept any more, and what to do.
    """
    partition = Partition.of_month(month)
    kept = [(each, _kept(each.contract, partition, each.certified, workspace)) for each in differs]
    for each, past in kept:
        rows = workspace.lake.scan(each.contract, [partition], version=past.version).frame.collect()
        made_from = Provenance(PUT_BACK_BY, past.code_version, past.inputs)
        written = workspace.lake.replace(each.contract, partition, rows, made_from)
        if written.content_hash != each.certified:
            raise LakeRefusal(
                f"{each.told(month)}: version {past.version}, which had it, reads as {written.content_hash[:12]} now"
            )
    return tuple(f"{each.told(month)}: version {past.version} was put back" for each, past in kept)


def _kept(contract: Contract, partition: Partition, content: str, workspace: Workspace) -> PastContent:
    """The newest version of a table that had a content. Raises LakeRefusal if the log tells of none."""
    known = past_contents(workspace.settings.location, contract, partition, workspace.store)
    for past in known:
        if past.content_hash == content:
            return past
    stands = f"{known[0].content_hash[:12]} since {known[0].committed_at:%Y-%m-%dT%H:%M:%SZ}" if known else "nothing"
    raise LakeRefusal(
        f"{contract.table} {partition}: the closing began with content {content[:12]}; {stands} stands there, and no "
        f"version that is kept has it: put tables/{contract.table} back from a backup that does, then close again"
    )


def contents_by_partition(month: str, contents: Mapping[str, str]) -> dict[str, str]:
    """`table|month` -> content, as the lake asks for it."""
    return {f"{table}|{month}": content for table, content in contents.items()}
