"""What a file of any name is: the source that reads it, the cluster that it is of, and when it was extracted.

Nothing is guessed: what does not follow from the file, its folder or the settings is refused with what to do about it.
Not here: looking into incoming/ (resources/inbox.py) and filing (inbox.py).
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from chargeback.signatures.recognition import signed_kind_of
from chargeback.usage import extract_kinds
from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.extract_clusters import clusters_named_in
from chargeback.usage.nesting import refusing_endless_nesting
from chargeback.usage.people_kinds import people_kind_of
from chargeback.usage.sacct_json import is_json
from resources.decompression import Undecompressible, archive_in, compression_of, decompressed, without_compression
from resources.landing import PEOPLE_SOURCES
from resources.object_store import StoredObject
from resources.parsers import parser_of
from resources.people_objects import faults_of
from resources.settings import Settings

CLOCKS_DIFFER = timedelta(minutes=10)
SHOWN_FAULTS = 3
PLAIN_ENDINGS = ("psv", "csv", "txt", "tsv", "prom", "yaml")

_INSTANT = re.compile(r"(?<!\d)(2\d\d\d)-?(\d\d)-?(\d\d)T(\d\d)[:-]?(\d\d)[:-]?(\d\d)(?:\.\d+)?Z")


class NotFiled(Exception):
    """The file cannot be filed as it is; the message is one sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an object of incoming/ belongs in landing/."""

    source: str
    cluster: str | None
    extracted_at: datetime
    extension: str


def origin_of(
    dropped: StoredObject, content: bytes, settings: Settings, *, now: datetime, largest_bytes: int
) -> Origin:
    """Recognise an object by its content, its folder and its name, and read it once, since landing is for good.

    Raises  NotFiled.
    """
    if packed := archive_in(content):
        raise NotFiled(f"is {packed}: unpack it and drop what is inside")
    compression = compression_of(content)
    name = dropped.key.rpartition("/")[2]
    try:
        inside = decompressed(content, name=without_compression(name) + compression, largest_bytes=largest_bytes)
    except Undecompressible as refused:
        raise NotFiled(str(refused)) from None
    if not inside.strip():
        raise NotFiled("is empty: drop it again when there is something in it")
    folders = dropped.key.split("/")[1:-1]
    try:
        source = _source(inside, folders)
        extension = _extension(inside, name)
        cluster = None
        if source in PEOPLE_SOURCES:
            _refuse_faulty(source, inside, name)
        else:
            cluster = _cluster(source, _named(source, inside), folders, settings)
            _refuse_hopeless(source, extension, inside, cluster, settings)
    except UnreadableExtract as unreadable:
        raise NotFiled(f"cannot be read: {unreadable}") from None
    arrived = now if signed_kind_of(inside) else _extracted_at(dropped, name, now)  # no name dates a signature back
    return Origin(source, cluster, arrived, extension + compression)


def _source(inside: bytes, folders: list[str]) -> str:
    """The folder of a source of people says what lies in it; else the content does."""
    said = next((folder for folder in folders if folder in PEOPLE_SOURCES), None) or people_kind_of(inside)
    source = said or extract_kinds.kind_of(inside)
    if source == extract_kinds.NOT_READ:
        raise NotFiled("is nothing that is read: docs/systems.md lists what is; see it with `chargeback inspect`")
    return source


def _refuse_faulty(source: str, inside: bytes, name: str) -> None:
    faults = faults_of(source, inside, name=name)
    if faults:
        more = f" and {len(faults) - SHOWN_FAULTS} more" if len(faults) > SHOWN_FAULTS else ""
        raise NotFiled(f"is a file for {source} that cannot be used: {'; '.join(faults[:SHOWN_FAULTS])}{more}")


def _named(source: str, inside: bytes) -> frozenset[str]:
    return refusing_endless_nesting(clusters_named_in)(source, inside)


def _cluster(source: str, named: frozenset[str], folders: list[str], settings: Settings) -> str:
    """The folder says it, else the file itself, else there is only one that it can be of; they must agree."""
    fits = sorted(name for name, each in settings.clusters.items() if source == extract_kinds.TELEMETRY
                  or source.startswith(f"{each.scheduler}/"))  # fmt: skip
    said = {folder for folder in folders if folder in settings.clusters} or set(named)
    if len(said) > 1:
        raise NotFiled(f"speaks of several clusters ({', '.join(sorted(said))}): extract each one by itself")
    if not said and len(fits) != 1:
        known = f"into the folder of its cluster ({', '.join(fits)})" if fits else "after adding its cluster"
        raise NotFiled(f"is {source} and does not say of which cluster: drop it {known}")
    cluster = next(iter(said or fits))
    if cluster not in settings.clusters:
        raise NotFiled(f"is of cluster {cluster}, which is not in chargeback.toml: add [clusters.{cluster}] first")
    if cluster not in fits:
        raise NotFiled(f"is {source}, but cluster {cluster} has scheduler {settings.clusters[cluster].scheduler}")
    if named and named != {cluster}:
        raise NotFiled(
            f"lies in the folder of {cluster} and speaks of {', '.join(sorted(named))}: drop it where it is of"
        )
    return cluster


def _refuse_hopeless(source: str, extension: str, inside: bytes, cluster: str, settings: Settings) -> None:
    """Refuse an extract of which no record can be read: in landing it would block its months for good."""
    parsed = parser_of(source, extension)(inside, cluster=cluster, zone=settings.clusters[cluster].zone)
    if parsed.quarantined and parsed.records == len(parsed.quarantined):
        first = parsed.quarantined[0]
        raise NotFiled(f"has no record that can be read; line {first.line}: {first.reason}")


def _extension(inside: bytes, name: str) -> str:
    if inside.startswith(b"PAR1"):
        return "parquet"
    if is_json(inside):
        return "json"
    ending = without_compression(name.lower()).rpartition(".")[2]
    return {"yml": "yaml"}.get(ending, ending if ending in PLAIN_ENDINGS else "txt")


def _extracted_at(dropped: StoredObject, name: str, now: datetime) -> datetime:
    """The latest instant that the name says, else when the file was written."""
    said: list[datetime] = []
    for found in _INSTANT.finditer(name):
        try:
            said.append(datetime(*map(int, found.groups()), tzinfo=UTC))  # type: ignore[misc,arg-type]
        except ValueError:
            raise NotFiled(f"has a time in its name that does not exist ({found[0]}): correct the name") from None
    if said and max(said) > now + CLOCKS_DIFFER:
        raise NotFiled(f"was extracted at {max(said):%Y-%m-%dT%H:%M:%SZ} by its name, which is still to come")
    return max(said) if said else min(dropped.modified_at, now)
