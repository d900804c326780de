"""A state of a month's charges by what people call it: its lines, and the rated usage that they were made from.

    now          what stands in the lake
    certified    what the month's certificate is about
    published    what the documents that were let out last were made from
    3f9a2c       the beginning of a content hash: of charges or a certificate; or of a folder below published/MONTH/
    v12          version 12 of the table team_charges

Not here: comparing two of them (chargeback/ledger/charge_causes.py).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charge_causes import USAGE
from orchestration.workspace import Workspace
from resources.lake_history import PastContent, past_contents
from resources.setting_kinds import SettingsRefused

NOW, CERTIFIED, PUBLISHED_LAST = NAMES = ("now", "certified", "published")
SHORTEST_HASH = 6
_HASH = re.compile(rf"[0-9a-f]{{{SHORTEST_HASH},64}}")
_VERSION = re.compile(r"v\d{1,12}")
_FORMS = f"{', '.join(NAMES)}, {SHORTEST_HASH} or more digits of a content hash, or v12"


@dataclass(frozen=True, slots=True)
class ChargeState:
    """One state: what it was called, the month, its content, its lines, and USAGE of its rated usage."""

    called: str
    month: str
    content_hash: str
    version: int
    committed_at: str
    lines: pl.DataFrame
    rated: pl.DataFrame

    @property
    def as_texts(self) -> dict[str, str]:
        """What names it, for documents."""
        return {
            "called": self.called,
            "month": self.month,
            "content_hash": self.content_hash,
            "version": str(self.version),
            "committed_at": self.committed_at,
        }


def charge_state(called: str, month: str, workspace: Workspace) -> ChargeState:
    """The state of a month that somebody calls so. Raises SettingsRefused, saying which states there are."""
    partition = Partition.of_month(month)
    past = past_of(TEAM_CHARGES, partition, workspace)
    if not past:
        raise SettingsRefused(f"{month} has no charges yet: chargeback bill {month}")
    chosen = _chosen(called, past, partition, workspace)
    usage = chosen.inputs.get(f"{RATED_USAGE.table}|{month}")
    rated = next((each for each in past_of(RATED_USAGE, partition, workspace) if each.content_hash == usage), None)
    if rated is None:
        raise SettingsRefused(
            f"{month} {called}: the rated usage behind these charges ({(usage or 'not recorded')[:12]}) is not in the "
            f"lake's log any more, so nobody can say why lines differ; {_there_are(past)}"
        )
    return ChargeState(
        called=called,
        month=month,
        content_hash=chosen.content_hash,
        version=chosen.version,
        committed_at=f"{chosen.committed_at:%Y-%m-%dT%H:%M:%SZ}",
        lines=workspace.lake.scan(TEAM_CHARGES, [partition], version=chosen.version).frame.collect(),
        rated=workspace.lake.scan(RATED_USAGE, [partition], version=rated.version).frame.select(USAGE).collect(),
    )


def past_of(contract: Contract, partition: Partition, workspace: Workspace) -> list[PastContent]:
    """Every content that a partition had, newest first."""
    return past_contents(workspace.settings.location, contract, partition, workspace.store)


def _chosen(called: str, past: list[PastContent], partition: Partition, workspace: Workspace) -> PastContent:
    if called == NOW:
        return past[0]
    if called == CERTIFIED:
        held = workspace.lake.scan(CERTIFICATE, [partition]).frame.collect()
        return _of_content(called, _charges_of(held), past, partition)
    if called == PUBLISHED_LAST:
        out = workspace.lake.scan(PUBLISHED, [partition]).frame.collect()
        hashes = set(out["certificate_hash"])
        return _of_content(called, _certified_contents(hashes, partition, workspace), past, partition)
    if _VERSION.fullmatch(called):
        found = [each for each in past if each.version <= int(called[1:])]
        if found:
            return found[0]
        raise SettingsRefused(
            f"{partition.key} had no charges at version {called[1:]} of team_charges; {_there_are(past)}"
        )
    if not _HASH.fullmatch(called):
        raise SettingsRefused(f"{called!r} is no state of {partition.key}; write {_FORMS}; {_there_are(past)}")
    return _of_hash(called, past, partition, workspace)


def _of_hash(prefix: str, past: list[PastContent], partition: Partition, workspace: Workspace) -> PastContent:
    certificates = {
        each.content_hash for each in past_of(CERTIFICATE, partition, workspace) if each.content_hash.startswith(prefix)
    } | _certificates_of_folders(prefix, partition, workspace)
    contents = {each.content_hash for each in past if each.content_hash.startswith(prefix)}
    return _of_content(prefix, contents | _certified_contents(certificates, partition, workspace), past, partition)


def _certificates_of_folders(prefix: str, partition: Partition, workspace: Workspace) -> set[str]:
    """Certificates that let out a folder of that name, of every publication that the log tells of."""
    found: set[str] = set()
    for each in past_of(PUBLISHED, partition, workspace):
        rows = workspace.lake.scan(PUBLISHED, [partition], version=each.version).frame
        in_folder = pl.col("object").str.starts_with(f"published/{partition.key}/{prefix}")
        found |= set(rows.filter(in_folder).select("certificate_hash").unique().collect()["certificate_hash"])
    return found


def _certified_contents(certificates: Iterable[str], partition: Partition, workspace: Workspace) -> set[str]:
    """What charges these certificates were about."""
    wanted = set(certificates)
    found: set[str] = set()
    for each in past_of(CERTIFICATE, partition, workspace) if wanted else ():
        if each.content_hash in wanted:
            found |= _charges_of(workspace.lake.scan(CERTIFICATE, [partition], version=each.version).frame.collect())
    return found


def _charges_of(certificate: pl.DataFrame) -> set[str]:
    return set(certificate.filter(pl.col("table_name") == TEAM_CHARGES.table)["content_hash"])


def _of_content(called: str, contents: set[str], past: list[PastContent], partition: Partition) -> PastContent:
    found = {each.content_hash: each for each in reversed(past) if each.content_hash in contents}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        named = ", ".join(sorted(content[:12] for content in found))
        raise SettingsRefused(f"{called} of {partition.key} may be any of {named}: write more of it")
    raise SettingsRefused(f"there is no state {called} of {partition.key}; {_there_are(past)}")


def _there_are(past: list[PastContent]) -> str:
    told = (f"{each.content_hash[:12]} (v{each.version}, {each.committed_at:%Y-%m-%d %H:%M} UTC)" for each in past[:6])
    return f"there are: {', '.join(told)}"
