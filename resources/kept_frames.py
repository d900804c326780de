"""Frames kept in memory as long as they are asked for, bounded by the bytes that they take there.

Not here: reading a frame (parse_cache.py).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable

import polars as pl


class KeptFrames:
    """The frames asked for last, at most `most` bytes; one that is larger is never kept. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._frames: OrderedDict[str, pl.DataFrame] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def kept_bytes(self) -> int:
        """What the kept frames take."""
        return self._bytes

    def get(self, key: str, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """The frame of a key, read if it is not kept."""
        with self._lock:
            if key in self._frames:
                self._frames.move_to_end(key)
                return self._frames[key]
        frame = read()
        with self._lock:
            if key not in self._frames and frame.estimated_size() <= self._most:
                self._frames[key] = frame
                self._bytes += int(frame.estimated_size())
                while self._bytes > self._most:
                    self._bytes -= int(self._frames.popitem(last=False)[1].estimated_size())
        return frame
