"""What every store of objects promises: complete or absent, never overwritten, listed in order.

Not here: the stores themselves (local_store.py, s3_store.py).
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class ObjectMissing(KeyError):
    """No object has this key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def __str__(self) -> str:
        return f"object {self.key} does not exist"


class ObjectConflict(ValueError):
    """An object that must never change exists already with other bytes."""

    def __init__(self, key: str, *, stored: bytes, refused: bytes) -> None:
        self.key = key
        self.stored_sha256 = hashlib.sha256(stored).hexdigest()
        self.refused_sha256 = hashlib.sha256(refused).hexdigest()
        super().__init__(
            f"object {key} exists with other content: stored sha256 {self.stored_sha256} ({len(stored)} bytes), "
            f"refused sha256 {self.refused_sha256} ({len(refused)} bytes); objects are never overwritten"
        )


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One object as a listing shows it."""

    key: str
    size: int
    modified_at: datetime


class ObjectStore(Protocol):
    """Objects by key. A key is `/`-separated, relative, without empty, `.` or `..` segments."""

    def put_new(self, key: str, content: bytes) -> bool:
        """Store an object that never changes; True if it is new, False if it stood there with the same bytes.

        After a crash it is complete or absent. Of several writers at once exactly one gets True.
        Raises  ObjectConflict if it stands there with other bytes.
        """

    def put(self, key: str, content: bytes) -> None:
        """Store or replace an object, whole at any instant. For caches only."""

    def get(self, key: str) -> bytes:
        """Its bytes. Raises ObjectMissing."""

    def exists(self, key: str) -> bool:
        """Whether it is there."""

    def list(self, prefix: str) -> list[StoredObject]:
        """All objects whose key begins with the prefix (any text, not only whole segments), by key."""


def checked_key(key: str) -> str:
    """The key itself.

    Raises  ValueError for a key that could mean another place than it says, on any of the stores.
    """
    segments = key.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        raise ValueError(f"object key {key!r}: has an empty, '.' or '..' segment")
    if "\\" in key or any(ord(character) < 32 or ord(character) == 127 for character in key):
        raise ValueError(f"object key {key!r}: has a control character or a backslash")
    if len(key.encode()) > 900 or any(len(segment.encode()) > 250 for segment in segments):
        raise ValueError(f"object key {key[:80]!r}...: is longer than stores allow (900 bytes, 250 a segment)")
    return key
