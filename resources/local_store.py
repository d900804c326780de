"""Objects as files under a directory: the embedded default. Keeps the promises of object_store.ObjectStore."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from resources.object_store import ObjectConflict, ObjectMissing, StoredObject, checked_key, removable_key
from resources.store_failures import store_failures_named

INCOMING = ".incoming"
"""Files that are still being written; never listed, and left behind only by a crash."""


class LocalStore:
    """One directory of objects, shared by any number of writers on one file system that knows hard links."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    def put_new(self, key: str, content: bytes) -> bool:
        """As ObjectStore.put_new: a complete file gets its name by a hard link, which fails if the name is taken."""
        path = self._path(key)
        with self._failures_named(key):
            if not path.exists():
                with self._written(content) as complete, suppress(FileExistsError):
                    _make_folder(path.parent)
                    os.link(complete, path)
                    _flush_directory(path.parent)
                    return True
            stored = path.read_bytes()
        if stored != content:
            raise ObjectConflict(key, stored=stored, refused=content)
        return False

    def put(self, key: str, content: bytes) -> None:
        """As ObjectStore.put."""
        path = self._path(key)
        with self._failures_named(key), self._written(content) as complete:
            _make_folder(path.parent)
            complete.rename(path)
            _flush_directory(path.parent)

    def get(self, key: str) -> bytes:
        """As ObjectStore.get."""
        try:
            with self._failures_named(key), open(self._path(key), "rb", opener=_opened_itself) as file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return file.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            pass
        except OSError as failure:
            if failure.errno != errno.ELOOP:
                raise
        raise ObjectMissing(key)

    def exists(self, key: str) -> bool:
        """As ObjectStore.exists."""
        with self._failures_named(key):
            return self._path(key).is_file()

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        """As ObjectStore.list: looks only into the directory that the prefix leads to. Links and devices are none."""
        folder = prefix.rpartition("/")[0]
        start = self._path(folder) if folder else self._root
        found = (self._stored(path) for path in _files_below(start))
        wanted = (each for each in found if each and each.key.startswith(prefix) and each.key > start_after)
        with self._failures_named(folder):
            return sorted(wanted, key=lambda each: each.key)

    def remove(self, key: str) -> None:
        """As ObjectStore.remove."""
        path = self._root / removable_key(key)
        with self._failures_named(key):
            path.unlink(missing_ok=True)

    def move(self, key: str, to: str) -> None:
        """As ObjectStore.move: the file itself gets its other name, whatever its size."""
        old, new = self._root / removable_key(key), self._path(to)
        with self._failures_named(to):
            _make_folder(new.parent)
            try:
                with suppress(FileExistsError):
                    os.link(old, new, follow_symlinks=False)
                    _flush_directory(new.parent)
            except FileNotFoundError:
                raise ObjectMissing(key) from None
            old.unlink(missing_ok=True)

    def _failures_named(self, key: str) -> AbstractContextManager[None]:
        return store_failures_named(str(self._root / key))

    def _path(self, key: str) -> Path:
        if checked_key(key).split("/")[0] == INCOMING:
            raise ValueError(f"object key {key!r}: {INCOMING} is kept for files that are being written")
        return self._root / key

    def _stored(self, path: Path) -> StoredObject | None:
        key = path.relative_to(self._root).as_posix()
        if key.startswith(f"{INCOMING}/"):
            return None
        try:
            status = path.lstat()
        except FileNotFoundError:  # removed since it was listed
            return None
        if not stat.S_ISREG(status.st_mode):  # a link may lead anywhere, a device never ends
            return None
        return StoredObject(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    @contextmanager
    def _written(self, content: bytes) -> Iterator[Path]:
        """A complete file on the same file system, gone afterwards unless it was renamed."""
        incoming = self._root / INCOMING
        _make_folder(incoming)
        descriptor, name = tempfile.mkstemp(dir=incoming)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.fsync(file.fileno())
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)


def _opened_itself(path: str, flags: int) -> int:
    """Never what a link leads to, and without waiting for whoever would write into a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _files_below(start: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(start, onerror=_refuse_to_overlook):
        yield from (Path(folder, name) for name in names)


def _refuse_to_overlook(failure: OSError) -> None:
    """What cannot be listed is not taken for empty, unless it is gone."""
    if not isinstance(failure, FileNotFoundError | NotADirectoryError):
        raise failure


def _make_folder(folder: Path) -> None:
    """Make it and all above it, each entered in its parent for good before anything is put into it."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _flush_directory(folder.parent)


def _flush_directory(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
