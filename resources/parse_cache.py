"""Landing objects read through the parsers, each once: frames and summaries kept beside the lake under parsed/.

An object is immutable, so what a version of the parsers reads in it under one time zone of its cluster stays true, and
is kept by both: all of parsed/ can be deleted at any time. Not here: which objects speak of a day (observations.py).
"""

import io
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from resources.code_version import code_version
from resources.decompression import Undecompressible
from resources.kept_frames import KeptFrames
from resources.landing import SNAPSHOT_SOURCES, LandedObject, Landing
from resources.object_store import ObjectMissing, ObjectStore
from resources.parse_index import ParseIndex, Summaries
from resources.parsed_object import ParsedObject, recalled, summary_of
from resources.parsers import parser_of
from resources.settings import Settings
from resources.unpacked_bytes import UnpackedBytes

KEPT_FRAMES_BYTES = 256 * 1024**2
"""Records of parsed objects kept in memory: far more than a day of a large cluster needs twice."""

READ_AT_ONCE = 8
LARGEST_READ_AT_ONCE_BYTES = 4 * 1024**2
"""A larger object is read alone: its stored bytes are in memory beside those of the others."""

UNPACKED_AT_ONCE_BYTES = 32 * 1024**2
"""Of objects being parsed together; each takes some 8 to 20 times its unpacked size meanwhile."""

MISSING_FROM_INDEX = 32
"""So many summaries are read one by one before the index is written anew."""


class ParseCache:
    """What one process knows of parsed objects. Threads may share it."""

    def __init__(self, landing: Landing, store: ObjectStore, settings: Settings) -> None:
        self._landing = landing
        self._store = store
        self._settings = settings
        self._known: dict[str, ParsedObject] = {}
        self._summaries: dict[tuple[str, str], Summaries] = {}
        self._indexed: dict[tuple[str, str], set[str]] = {}
        self._frames = KeptFrames(KEPT_FRAMES_BYTES)
        self._unpacked = UnpackedBytes(UNPACKED_AT_ONCE_BYTES)

    def is_read(self, landed: LandedObject) -> bool:
        """Whether this version of the parsers has read the object before."""
        return landed.key in self._recall(landed) or self._store.exists(f"{self._stem(landed)}.json")

    def read(self, landed: LandedObject) -> ParsedObject:
        """What one object holds, parsed now if it never was."""
        if landed.key not in self._known:
            summaries = self._recall(landed)
            try:
                self._known[landed.key] = recalled(landed, summaries[landed.key])
            except (KeyError, TypeError, ValueError):  # not in the index, or damaged there
                summaries[landed.key] = self._summary(landed)
                self._known[landed.key] = recalled(landed, summaries[landed.key])
        return self._known[landed.key]

    def read_all(self, objects: Sequence[LandedObject]) -> list[ParsedObject]:
        """What all objects of one source and cluster hold, several read at once; the index is kept up to date."""
        new = [landed for landed in objects if landed.key not in self._known]
        if new:
            known = self._recall(new[0])
            self._read_unknown([landed for landed in new if landed.key not in known])
        found = [self.read(landed) for landed in objects]
        if objects:
            self._renew_index(objects)
        return found

    def frame(self, parsed: ParsedObject) -> pl.DataFrame:
        """The records of one object; the last ones asked for are kept in memory."""
        return self._frames.get(parsed.landed.key, lambda: self._read_frame(parsed.landed))

    def _read_frame(self, landed: LandedObject) -> pl.DataFrame:
        frame_key = f"{self._stem(landed)}.parquet"
        try:
            return pl.read_parquet(io.BytesIO(self._store.get(frame_key)))
        except ObjectMissing:  # a part of the cache was deleted
            self._parse_and_keep(landed)
            return pl.read_parquet(io.BytesIO(self._store.get(frame_key)))

    def _read_unknown(self, unknown: Sequence[LandedObject]) -> None:
        small = [landed for landed in unknown if landed.size <= LARGEST_READ_AT_ONCE_BYTES]
        if len(small) > 1:
            self.read(small[0])  # the store's client is made once, before threads share it
            with ThreadPoolExecutor(READ_AT_ONCE) as threads:
                list(threads.map(self.read, small[1:]))

    def _recall(self, landed: LandedObject) -> Summaries:
        """The summaries of an object's source and cluster: those of the index, and those read since."""
        origin = (landed.source, landed.cluster or "")
        if origin not in self._summaries:
            self._summaries[origin] = self._index(origin).load()
            self._indexed[origin] = set(self._summaries[origin])
        return self._summaries[origin]

    def _renew_index(self, objects: Sequence[LandedObject]) -> None:
        origin = (objects[0].source, objects[0].cluster or "")
        keys = {landed.key for landed in objects}
        if len(keys - self._indexed[origin]) < MISSING_FROM_INDEX:
            return
        index = self._index(origin)
        ours = {key: summary for key, summary in self._summaries[origin].items() if key in keys}
        theirs = {key: summary for key, summary in index.load().items() if key in keys}
        index.save({**theirs, **ours})
        self._indexed[origin] = keys

    def _index(self, origin: tuple[str, str]) -> ParseIndex:
        return ParseIndex(self._store, version=self._read_as(origin[1]), source=origin[0], cluster=origin[1])

    def _summary(self, landed: LandedObject) -> dict[str, object]:
        try:
            summary = json.loads(self._store.get(f"{self._stem(landed)}.json"))
            recalled(landed, summary)
        except (ObjectMissing, KeyError, TypeError, ValueError):
            return self._parse_and_keep(landed)
        return dict(summary)

    def _parse_and_keep(self, landed: LandedObject) -> dict[str, object]:
        """Keep the frame first, the summary last: a summary without its frame never stands."""
        outcome = self._parse(landed)
        if isinstance(outcome, ParsedExtract):
            written = io.BytesIO()
            outcome.frame.write_parquet(written, compression="zstd")
            self._store.put(f"{self._stem(landed)}.parquet", written.getvalue())
        summary = summary_of(outcome, source=landed.source)
        self._store.put(f"{self._stem(landed)}.json", json.dumps(summary, sort_keys=True).encode())
        return summary

    def _stem(self, landed: LandedObject) -> str:
        return f"parsed/{self._read_as(landed.cluster or '')}/{landed.key.removeprefix('landing/')}"

    def _read_as(self, cluster: str) -> str:
        """What decides beside its bytes what is read in an object: the parsers, the zone of times without an offset.

        A cluster that the settings do not know any more is still listed by what it was read as without a zone.
        """
        known = self._settings.clusters.get(cluster)
        zone = known.timezone if known else None
        return f"{code_version()}/{zone.replace('/', '-') if zone else 'no-zone'}"

    def _parse(self, landed: LandedObject) -> ParsedExtract | UnreadableExtract:
        cluster = self._settings.cluster(landed.cluster or "")
        try:
            read = parser_of(landed.source, landed.extension)
            stored = self._landing.stored(landed)
            with self._unpacked.holding(lambda: self._landing.unpacked(landed, stored)) as content:
                parsed = read(content, cluster=cluster.name, zone=cluster.zone)
        except (UnreadableExtract, Undecompressible) as refusal:
            return UnreadableExtract(str(refusal))
        known = _known_until(landed.extracted_at)
        if landed.source == "dcgm" or landed.source in SNAPSHOT_SOURCES:  # what has no times speaks of the extraction
            known = [pl.col("overlaps_from").fill_null(pl.lit(landed.extracted_at, dtype=INSTANT)), *known]
        return replace(parsed, frame=parsed.frame.with_columns(known[:-1]).with_columns(known[-1]))


def _known_until(extracted_at: datetime) -> list[pl.Expr]:
    """What has no end yet lasts at least until it was seen; a parser does not know when its object was extracted."""
    begins, ends = pl.col("overlaps_from"), pl.col("overlaps_until")
    seen_until = pl.max_horizontal(begins, pl.lit(extracted_at, dtype=INSTANT))
    return [pl.when(ends.is_null() & begins.is_not_null()).then(seen_until).otherwise(ends).alias("overlaps_until")]
