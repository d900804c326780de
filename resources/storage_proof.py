"""The proof that a store keeps what it confirms: recorded in the lake by the preflight, asked for by whoever writes.

    settings/storage-proof/<instant>-<first digits of its sha256>.json

Immutable. It holds for one endpoint, bucket and prefix, the versioning that the bucket had, and one way of probing; the
newest one by the store's clock counts, so that a later failure withdraws trust. A directory needs none. Not here: the
probing (store_probe.py, delta_probe.py).
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache

from resources.bucket import UNKNOWN, versioning_of
from resources.delta_probe import CommitFigures
from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.store_probe import UnsafeStore

PROOFS = "settings/storage-proof/"
PROBE_VERSION = 1
WHAT_TO_RUN = "run: chargeback preflight --storage"
FOR_GOOD = "nothing was written"


@dataclass(frozen=True, slots=True)
class StorageProof:
    """What a preflight found: where, how it was reached, and what became of the commits. No credential is in it.

    `fault` is empty if the store passed. Without `commits` the store failed before any was made.
    """

    endpoint_url: str
    bucket: str
    prefix: str
    region: str
    path_style: bool
    versioning: str
    probed_at: str
    fault: str
    commits: CommitFigures | None
    probe_version: int = PROBE_VERSION

    @classmethod
    def of(
        cls, location: StorageLocation, *, versioning: str, at: datetime, fault: str, commits: CommitFigures | None
    ) -> "StorageProof":
        """The proof of a location, with what was found there."""
        return cls(
            *_place(location),
            region=location.region or "",
            path_style=location.path_style,
            versioning=versioning,
            probed_at=f"{at.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}",
            fault=fault,
            commits=commits,
        )

    @property
    def passed(self) -> bool:
        """Whether the store can be trusted with money."""
        return not self.fault

    def is_of(self, location: StorageLocation) -> bool:
        """Whether it speaks of this very place: a copy of a lake elsewhere is another place."""
        return (self.endpoint_url, self.bucket, self.prefix) == _place(location)


def record_proof(store: ObjectStore, proof: StorageProof) -> str:
    """Keep it for good; its key. A store that failed may refuse conditional puts, so there it is put plainly."""
    content = json.dumps(asdict(proof), sort_keys=True, indent=1).encode()
    key = f"{PROOFS}{proof.probed_at}-{hashlib.sha256(content).hexdigest()[:16]}.json"
    if proof.passed:
        store.put_new(key, content)
    else:
        store.put(key, content)
    return key


def newest_proof(store: ObjectStore, location: StorageLocation) -> StorageProof | None:
    """The one of this very place that was recorded last, by the store's own clock; None if there is none.

    What the prober's clock said decides nothing. Of two that the store dates alike (many date by the second) one that
    failed counts. Proofs of another way of probing, or of a place that the lake was copied from, do not count.
    Raises  UnsafeStore for a record that cannot be read and might be the newest.
    """
    newest: StorageProof | None = None
    recorded_at: datetime | None = None
    for each in sorted(store.list(PROOFS), key=lambda each: each.modified_at, reverse=True):
        if recorded_at is not None and each.modified_at < recorded_at:
            break
        proof = _proof_in(each.key, store.get(each.key))
        if proof and proof.is_of(location) and not (newest and proof.passed):
            newest, recorded_at = proof, each.modified_at
    return newest


def _proof_in(key: str, content: bytes) -> StorageProof | None:
    """The proof that an object holds; None for one of another way of probing."""
    try:
        read = json.loads(content)
        if read["probe_version"] != PROBE_VERSION:
            return None
        commits = read.pop("commits")
        return StorageProof(**read, commits=CommitFigures(**commits) if commits else None)
    except (ValueError, KeyError, TypeError):
        raise UnsafeStore(f"{key}: this record of a probe cannot be read: {FOR_GOOD}; {WHAT_TO_RUN}") from None


@cache
def require_proof(location: StorageLocation) -> None:
    """Nothing, if tables may be written there; asked once a process and location. A directory always may.

    Raises  UnsafeStore with one sentence that says why not and what to run; StoreFailure if the store does not tell.
    """
    if not location.is_s3:
        return
    where = f"{location.root} at {location.endpoint_url or 'Amazon S3'}"
    proof = newest_proof(store_at(location), location)
    if proof is None:
        raise UnsafeStore(f"{where}: this store was not shown to keep what it confirms: {FOR_GOOD}; {WHAT_TO_RUN}")
    if not proof.passed:
        raise UnsafeStore(f"{where}: this store failed its last probe ({proof.fault}): {FOR_GOOD}; {WHAT_TO_RUN}")
    versioning = versioning_of(location)
    if UNKNOWN not in (versioning, proof.versioning) and versioning != proof.versioning:
        raise UnsafeStore(
            f"{where}: the bucket's versioning is {versioning} and was {proof.versioning} when the store was probed: "
            f"{FOR_GOOD}; {WHAT_TO_RUN}"
        )


def _place(location: StorageLocation) -> tuple[str, str, str]:
    if not location.is_s3:
        return "", "", str(location.directory)
    return (location.endpoint_url or "").rstrip("/"), location.bucket, location.prefix
