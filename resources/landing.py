"""landing/: what was extracted from schedulers and given by people, in source formats, immutable.

    landing/<source>/cluster=<c>/date=<extraction date, UTC>/<extracted-at>-<sha256>.<extension>

The sha256 is that of the stored bytes, so a listing says what stands there. Sources that people write have no cluster
in the key. Source: design.md 4, "Landing key". Not here: reading formats.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from resources.decompression import decompressed, without_compression
from resources.object_store import ObjectConflict, ObjectStore, StoredObject

CLUSTER_SOURCES = (
    "slurm/sacct",
    "slurm/bindings",
    "slurm/nodes",
    "slurm/events",
    "slurm/reservations",
    "slurm/devices",
    "slurm/associations",
    "kubernetes/pods",
    "kubernetes/nodes",
    "kubernetes/workloads",
    "kubernetes/claims",
    "dcgm",
)
SNAPSHOT_SOURCES = ("kubernetes/pods", "kubernetes/nodes", "kubernetes/workloads", "kubernetes/claims")
"""Sources in which the same bytes at a later time say something: it is still so."""

PEOPLE_SOURCES = ("rate-cards", "ownership", "finance-reference", "approvals", "keyrings")
SOURCES = CLUSTER_SOURCES + PEOPLE_SOURCES

INSTANT_FORMAT = "%Y%m%dT%H%M%SZ"
LARGEST_READ_BYTES = 4 * 1024**3

_NAME = re.compile(r"date=(\d{4}-\d{2}-\d{2})/(\d{8}T\d{6}Z)-([0-9a-f]{64})\.([a-z0-9]+(?:\.[a-z0-9]+)*)")
_EXTENSION = re.compile(r"[a-z0-9]+(\.[a-z0-9]+)*")
_CLUSTER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


Identity = tuple[str, datetime | None]
"""What makes two landed objects of a source one: the bytes; of a snapshot the bytes and their time."""


class ObjectCorrupted(Exception):
    """A landing object's bytes are not those that its key promises."""

    def __init__(self, key: str, *, expected: str, found: str) -> None:
        self.key, self.expected, self.found = key, expected, found
        super().__init__(
            f"{key}: its key promises sha256 {expected}, its bytes have {found}: "
            "it was changed or damaged after landing; restore it from the source"
        )


@dataclass(frozen=True, slots=True)
class LandedObject:
    """One object of landing/. `is_new` is false if these bytes of this source and cluster had landed before."""

    key: str
    source: str
    cluster: str | None
    extracted_at: datetime
    sha256: str
    size: int
    is_new: bool = field(default=False, compare=False)

    @property
    def sha256_prefix(self) -> str:
        """The first twelve digits, for people."""
        return self.sha256[:12]

    @property
    def extension(self) -> str:
        """The format that `Landing.read` gives, compression taken off: `psv`, `json`."""
        return without_compression(self.key.rpartition("/")[2].partition(".")[2])


class Landing:
    """The landing objects of one lake."""

    def __init__(self, store: ObjectStore, *, largest_read_bytes: int = LARGEST_READ_BYTES) -> None:
        self._store = store
        self._largest_read_bytes = largest_read_bytes
        self._known_of: dict[tuple[str, str | None], dict[str, LandedObject]] = {}

    def land(
        self, content: bytes, *, source: str, cluster: str | None, extracted_at: datetime, extension: str
    ) -> LandedObject:
        """Keep an extract for good. The same bytes of one source and cluster are one object, however often they land.

        Of two extraction times of the same bytes the one that landed first stands; a snapshot (SNAPSHOT_SOURCES) is
        one object for each of its times. `extension`: `psv`, `json.gz`.
        Raises  ValueError for an unknown source, a cluster that is missing, superfluous or oddly spelled, a time
                without a zone, or an odd extension; ObjectCorrupted if what stands there is damaged.
        """
        if extracted_at.tzinfo is None:
            raise ValueError(f"{source}: extracted_at {extracted_at.isoformat()} has no time zone")
        if not _EXTENSION.fullmatch(extension):
            raise ValueError(f"{source}: extension {extension!r} must be like psv, json or json.gz")
        digest = hashlib.sha256(content).hexdigest()
        instant = extracted_at.astimezone(UTC).replace(microsecond=0)
        name = f"{instant.strftime(INSTANT_FORMAT)}-{digest}.{extension}"
        key = f"{_folder(source, cluster)}date={instant.date().isoformat()}/{name}"
        landed = LandedObject(key, source, cluster, instant, digest, len(content))
        before = self._landed_before(landed)
        if before:
            self.stored(before)
            return before
        try:
            is_new = self._store.put_new(key, content)
        except ObjectConflict as conflict:
            raise ObjectCorrupted(key, expected=digest, found=conflict.stored_sha256) from None
        self._known_of.get((source, cluster), {})[digest] = landed
        return replace(landed, is_new=is_new)

    def _landed_before(self, landed: LandedObject) -> LandedObject | None:
        """The object of the same bytes, listed once for all that this Landing lands, and only if it must be.

        A snapshot's key says everything that makes it one object, so the store itself tells. What another process
        lands meanwhile is unknown here and may land twice: `objects` reads equal bytes once.
        """
        if landed.source in SNAPSHOT_SOURCES:
            return None
        origin = landed.source, landed.cluster
        if origin not in self._known_of:
            if self._store.exists(landed.key):
                return landed
            self._known_of[origin] = {each.sha256: each for each in self.objects(*origin)}
        return self._known_of[origin].get(landed.sha256)

    def objects(self, source: str, cluster: str | None, *, since: date | None = None) -> list[LandedObject]:
        """What landed of a source and cluster, by extraction time, then key; of equal bytes the earliest only.

        Snapshots of equal bytes stand once for each of their times. `since`: the first date of extraction that is
        looked at; bytes that landed before and again since then stand with their later time.

        Raises  ValueError for an unknown source, or a cluster that is missing or superfluous.
        """
        folder = _folder(source, cluster)
        listed = self._store.list(folder, start_after=f"{folder}date={since.isoformat()}/" if since else "")
        found = (_as_landed(each, source, cluster) for each in listed)
        landed = sorted((each for each in found if each), key=lambda each: (each.extracted_at, each.key))
        first: dict[Identity, LandedObject] = {}
        for each in landed:
            first.setdefault(_identity(source, each.sha256, each.extracted_at), each)
        return list(first.values())

    def clusters(self, source: str) -> list[str]:
        """The clusters that a source has landed for. Raises ValueError for a source that has none."""
        if source not in CLUSTER_SOURCES:
            raise ValueError(f"source {source!r} has no clusters; those that have: {', '.join(CLUSTER_SOURCES)}")
        start = f"landing/{source}/cluster="
        found = (each.key.removeprefix(start).partition("/")[0] for each in self._store.list(start))
        return sorted(set(found))

    def misnamed(self) -> list[str]:
        """Keys below landing/ that no source and name explain: put there by hand, and read by nobody."""
        return [each.key for each in self._store.list("landing/") if not landed_of(each)]

    def read(self, landed: LandedObject) -> bytes:
        """Its bytes, decompressed if its name ends in .gz or .zst.

        Raises  ObjectMissing; ObjectCorrupted if its bytes are not those of its key; decompression.Undecompressible if
                it is damaged inside or larger than the limit.
        """
        return self.unpacked(landed, self.stored(landed))

    def stored(self, landed: LandedObject) -> bytes:
        """Its bytes as they lie there. Raises ObjectMissing; ObjectCorrupted if they are not those of its key."""
        content = self._store.get(landed.key)
        found = hashlib.sha256(content).hexdigest()
        if found != landed.sha256:
            raise ObjectCorrupted(landed.key, expected=landed.sha256, found=found)
        return content

    def unpacked(self, landed: LandedObject, stored: bytes) -> bytes:
        """Its stored bytes, decompressed if its name ends in .gz or .zst. Raises decompression.Undecompressible."""
        return decompressed(stored, name=landed.key, largest_bytes=self._largest_read_bytes)

    def sha256_of(self, key: str) -> str:
        """The whole content hash of the stored bytes under a key, as they are now. Raises ObjectMissing."""
        return hashlib.sha256(self._store.get(key)).hexdigest()


def _identity(source: str, sha256: str, extracted_at: datetime) -> Identity:
    return sha256, extracted_at if source in SNAPSHOT_SOURCES else None


def _folder(source: str, cluster: str | None) -> str:
    if source not in SOURCES:
        raise ValueError(f"source {source!r} is unknown; sources are {', '.join(SOURCES)}")
    if source in PEOPLE_SOURCES:
        if cluster is not None:
            raise ValueError(f"source {source} holds for all clusters; leave cluster {cluster!r} out")
        return f"landing/{source}/"
    if cluster is None or not _CLUSTER.fullmatch(cluster):
        raise ValueError(f"source {source} needs a cluster of letters, digits, '.', '_' and '-', not {cluster!r}")
    return f"landing/{source}/cluster={cluster}/"


def _as_landed(stored: StoredObject, source: str, cluster: str | None) -> LandedObject | None:
    match = _NAME.fullmatch(stored.key.removeprefix(_folder(source, cluster)))
    if match is None:
        return None
    try:
        instant = datetime.strptime(match[2], INSTANT_FORMAT).replace(tzinfo=UTC)
    except ValueError:  # a day or time that does not exist
        return None
    if instant.date().isoformat() != match[1]:
        return None
    return LandedObject(stored.key, source, cluster, instant, match[3], stored.size)


def landed_of(stored: StoredObject) -> LandedObject | None:
    """The landed object that an object is by its key; None for a key that no source and name explain."""
    explained = (_as_landed(stored, source, cluster) for source, cluster in _origins(stored.key))
    return next((landed for landed in explained if landed), None)


def _origins(key: str) -> Iterator[tuple[str, str | None]]:
    below = key.removeprefix("landing/")
    for source in PEOPLE_SOURCES:
        if below.startswith(f"{source}/"):
            yield source, None
    for source in CLUSTER_SOURCES:
        cluster = below.removeprefix(f"{source}/cluster=").partition("/")[0]
        if below.startswith(f"{source}/cluster=") and _CLUSTER.fullmatch(cluster):
            yield source, cluster
