"""incoming/ and incoming-refused/ beside landing/: where others drop files of any name, and what could not be filed.

A refused object keeps its bytes below incoming-refused/<date>/ under a plain name, with a record of why beside it. An
object that cannot be addressed without danger stays where it is, and its record keeps it from being looked at again.
Not here: what a file is (orchestration/inbox_origin.py).
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from resources.inbox_refusals import Refusal, refusal_in
from resources.kept_records import NO_RECORD, record_in
from resources.landing import LandedObject
from resources.object_names import plain, readable
from resources.object_store import (
    INCOMING_PREFIX,
    ObjectConflict,
    ObjectMissing,
    ObjectStore,
    StoredObject,
    removable_key,
)

REFUSED_PREFIX = "incoming-refused/"
LOOKS_KEY = "incoming-looks.json"
"""What was seen in a directory at the last look: two looks show whether a file is still being written."""

UNFINISHED = (".part", ".tmp", ".filepart")
QUIET = timedelta(seconds=30)
BETWEEN_LOOKS = timedelta(seconds=10)
STILL_WRITTEN = "is still being written, by its name"
JUST_CHANGED = "was changed a moment ago: it is filed when it stays as it is"


@dataclass(frozen=True, slots=True)
class SetAside:
    """An object that could not be filed; `kept_as` is empty if it had to stay where it is."""

    key: str
    reason: str
    kept_as: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """An object that is looked at again next time."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Filed:
    """What became of incoming/ in one look. `left` were not looked at yet, since there were more than `most`."""

    landed: tuple[LandedObject, ...]
    set_aside: tuple[SetAside, ...]
    waiting: tuple[Waiting, ...]
    left: int


class Inbox:
    """What others dropped beside one landing. `directory`: that of the lake, if it is a local one."""

    def __init__(self, store: ObjectStore, *, directory: Path | None) -> None:
        self._store = store
        self._directory = directory

    def look(self, now: datetime) -> tuple[list[StoredObject], list[Waiting]]:
        """What can be filed, oldest first, and what is still being written.

        On S3 an object is complete or absent. In a directory a file is complete when it has been left alone for QUIET,
        or was the same at an earlier look, BETWEEN_LOOKS ago or more.
        """
        listed = self._store.list(INCOMING_PREFIX)
        unfinished = [each for each in listed if _is_unfinished(each.key)]
        waiting = [Waiting(readable(each.key), STILL_WRITTEN) for each in unfinished]
        found = [each for each in listed if each not in unfinished]
        if self._directory:
            moving = self._moving(found, now)
            waiting += [Waiting(readable(each.key), JUST_CHANGED) for each in found if each.key in moving]
            found = [each for each in found if each.key not in moving]
        return sorted(found, key=lambda each: (each.modified_at, each.key)), waiting

    def dangerous(self) -> Iterator[tuple[StoredObject, str]]:
        """Links and devices among the files of a directory, and why they are refused; they are never opened."""
        for folder, folders, names in os.walk(self._directory / "incoming") if self._directory else ():
            for path in (Path(folder, name) for name in (*folders, *names)):
                with suppress(FileNotFoundError):
                    status = path.lstat()
                    if self._directory and (what := _what_else(status.st_mode)):
                        key = path.relative_to(self._directory).as_posix()
                        yield StoredObject(key, 0, datetime.fromtimestamp(status.st_mtime, UTC)), what

    def content(self, dropped: StoredObject) -> bytes | None:
        """Its bytes; None if they are not those that were listed. Raises ObjectMissing if it is gone."""
        content = self._store.get(dropped.key)
        return content if len(content) == dropped.size else None

    def take_away(self, dropped: StoredObject) -> bool:
        """Remove an object that stands in landing; False if it is another one by now, which is then left alone."""
        if not self._is_as_listed(dropped):
            return False
        self._store.remove(dropped.key)
        return True

    def is_known(self, dropped: StoredObject) -> bool:
        """Whether it was refused before and had to stay where it is."""
        return not _can_be_moved(dropped, self._directory) and self._store.exists(f"{_stem(dropped, None)}.json")

    def set_aside(self, dropped: StoredObject, reason: str, *, content: bytes | None = None) -> SetAside:
        """Keep why first, then move the bytes: what is set aside twice after a crash is set aside once.

        Raises  ObjectMissing if it is gone, or another one lies there by now, which is left alone.
        """
        stem, reason = _stem(dropped, content), readable(reason)
        kept_as = stem if _can_be_moved(dropped, self._directory) else ""
        if kept_as and not self._is_as_listed(dropped):
            raise ObjectMissing(dropped.key)
        record = {
            "dropped_at": dropped.modified_at.astimezone(UTC).isoformat(),
            "kept_as": kept_as,
            "key": readable(dropped.key),
            "reason": reason,
            "sha256": hashlib.sha256(content).hexdigest() if content is not None else None,
            "size": dropped.size,
        }
        with suppress(ObjectConflict):  # set aside before, when the reason was another: the first one stands
            self._store.put_new(f"{stem}.json", json.dumps(record, sort_keys=True, indent=1).encode())
        if kept_as:
            with suppress(ObjectMissing):  # another process was faster
                self._store.move(dropped.key, kept_as)
        return SetAside(readable(dropped.key), reason, kept_as)

    def refusals(self) -> list[Refusal]:
        """Every record of what was set aside, by the day that it was dropped on, then by name."""
        refusals = []
        for each in self._store.list(REFUSED_PREFIX):
            if each.key.endswith(".json"):
                with suppress(ObjectMissing):  # deleted just now, by whoever looked at it
                    refusals.append(refusal_in(each, self._store.get(each.key)))
        return refusals

    def _is_as_listed(self, dropped: StoredObject) -> bool:
        if self._directory is None:
            return dropped in self._store.list(dropped.key)
        try:
            status = (self._directory / dropped.key).lstat()
        except FileNotFoundError:
            return False
        modified_at = datetime.fromtimestamp(status.st_mtime, UTC)
        return (status.st_size, modified_at) == (dropped.size, dropped.modified_at)

    def _moving(self, found: list[StoredObject], now: datetime) -> set[str]:
        """Files that may still be written; remembers how the young ones look now."""
        young = [each for each in found if not timedelta(0) <= now - each.modified_at - QUIET]
        before = self._looks()
        looks = {each.key: _look(each) for each in young}
        seen = {key: before[key] if _is_unchanged(before.get(key), look, now) else [look, now.isoformat()]
                for key, look in looks.items()}  # fmt: skip
        if seen != before:
            self._store.put(LOOKS_KEY, json.dumps(seen, sort_keys=True).encode())
        return {key for key, (_, since) in seen.items() if now - datetime.fromisoformat(since) < BETWEEN_LOOKS}

    def _looks(self) -> dict[str, list[str]]:
        """What was seen at the last look; nothing if another file lies there."""
        try:
            read = record_in(self._store.get(LOOKS_KEY))
            for _, since in read.values():
                if datetime.fromisoformat(since).tzinfo is None:
                    raise ValueError(f"{since} has no zone")
        except (ObjectMissing, *NO_RECORD):
            return {}
        return read


def _look(stored: StoredObject) -> str:
    return f"{stored.size} bytes of {stored.modified_at.isoformat()}"


def _is_unchanged(before: list[str] | None, look: str, now: datetime) -> bool:
    """Whether a file looks as it did; what was seen in the future, before the clock was set back, does not count."""
    return before is not None and before[0] == look and datetime.fromisoformat(before[1]) <= now


def _is_unfinished(key: str) -> bool:
    name = key.rpartition("/")[2]
    is_hidden = name.startswith(".") and not name.startswith("..")
    return is_hidden or name.lower().endswith(UNFINISHED)


def _what_else(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "is a symbolic link, which is never followed: drop the file itself"
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return "is a device, pipe or socket, which is never read: drop a file"
    return ""


def _can_be_moved(dropped: StoredObject, directory: Path | None) -> bool:
    try:
        removable_key(dropped.key)
    except ValueError:
        return False
    try:
        return directory is None or not _what_else((directory / dropped.key).lstat().st_mode)
    except FileNotFoundError:  # another process was faster
        return True


def _stem(dropped: StoredObject, content: bytes | None) -> str:
    """Where a refused object is kept: it follows from the object alone, so that a retry finds the same place.

    Twelve digits are the content's; of an object that was never read those of its key, size and time.
    """
    says = f"{dropped.key}\n{dropped.size}\n{dropped.modified_at.isoformat()}".encode(errors="surrogatepass")
    digits = hashlib.sha256(says if content is None else content).hexdigest()[:12]
    name = plain(dropped.key.rpartition("/")[2])
    return f"{REFUSED_PREFIX}{dropped.modified_at.astimezone(UTC).date().isoformat()}/{name}-{digits}"
