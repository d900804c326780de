"""The summaries of all parsed objects of a source and cluster in one object: a process needs one request for them.

A cache: without it, or with a damaged one, every summary is read by itself. Not here: reading objects (parse_cache.py).
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from typing import Any

from resources.object_store import ObjectMissing, ObjectStore

LARGEST_SUMMARY_CHARACTERS = 20_000
"""A longer summary (of an object with many unreadable records) stands by itself only."""

Summaries = dict[str, Mapping[str, Any]]
"""Object key -> summary."""


class ParseIndex:
    """The index of one source and cluster, as one version of the parsers read its objects."""

    def __init__(self, store: ObjectStore, *, version: str, source: str, cluster: str) -> None:
        self._store = store
        self._key = f"parsed/{version}/index/{source}/cluster={cluster}.json.gz"

    def load(self) -> Summaries:
        """The summaries that it has; none if it is missing or damaged."""
        try:
            lines = gzip.decompress(self._store.get(self._key)).decode().splitlines()
            entries = [json.loads(line) for line in lines]
            return {entry["key"]: entry["summary"] for entry in entries}
        except (ObjectMissing, gzip.BadGzipFile, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return {}

    def save(self, summaries: Mapping[str, Mapping[str, Any]]) -> None:
        """Replace it. Of two processes that do so at once one's work is lost: it costs the next one time."""
        lines = [
            line
            for key, summary in sorted(summaries.items())
            if len(line := json.dumps({"key": key, "summary": summary}, sort_keys=True)) <= LARGEST_SUMMARY_CHARACTERS
        ]
        self._store.put(self._key, gzip.compress("\n".join(lines).encode(), compresslevel=6, mtime=0))
