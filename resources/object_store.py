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

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        """All objects whose key begins with the prefix (any text, not only whole segments), by key.

        `start_after`: only keys behind it. A key, or a folder with its slash: stores that keep folders skip everything
        in one that is named without it.
        """

    def remove(self, key: str) -> None:
        """Take an object away that others dropped, gone or not. Raises ValueError for a key outside incoming/."""

    def move(self, key: str, to: str) -> None:
        """Put an object that others dropped under another key, unless it stands there already; then take it away.

        A crash in between leaves it in both places, and moving it again ends that.
        Raises  ValueError for a key outside incoming/; ObjectMissing.
        """


INCOMING_PREFIX = "incoming/"
"""Where others drop files: the only objects that can be taken away."""


def removable_key(key: str) -> str:
    """The key itself, as it was listed: others chose it, so it may be odd, but not so that a store finds another place.

    Raises  ValueError for a key outside incoming/, and for one with an empty, `.` or `..` segment.
    """
    if not key.startswith(INCOMING_PREFIX):
        raise ValueError(f"object key {key!r}: only what lies below {INCOMING_PREFIX} can be taken away")
    if any(segment in ("", ".", "..") for segment in key.split("/")) or "\0" in key:
        raise ValueError(f"object key {key!r}: has an empty, '.' or '..' segment")
    return key


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
