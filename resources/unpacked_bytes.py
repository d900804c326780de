"""How much of unpacked landing objects may be in memory at once, however many threads read and however small they lie.

A compressed object of some kilobytes may be many megabytes unpacked, and reading it takes several times that. Not here:
reading (parse_cache.py).
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class UnpackedBytes:
    """Lets threads hold unpacked objects until together they reach `most` bytes; a larger one is held alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._unpacking = threading.Lock()
        self._changed = threading.Condition()

    @property
    def held(self) -> int:
        """Bytes that are held now."""
        return self._held

    @contextmanager
    def holding(self, unpack: Callable[[], bytes]) -> Iterator[bytes]:
        """Within it, what `unpack` gave is counted. One at a time is unpacked before it can be: its size is unknown."""
        with self._unpacking:
            content = unpack()
            with self._changed:
                self._changed.wait_for(lambda: not self._held or self._held + len(content) <= self._most)
                self._held += len(content)
        try:
            yield content
        finally:
            with self._changed:
                self._held -= len(content)
                self._changed.notify_all()
