"""What landing objects say, parsed once an object and kept: the step between landing/ and the raw tables.

An object is immutable, so what a version of the parsers reads in it is kept beside the lake under parsed/ (a cache: it
can be deleted at any time). Not here: which observation of a record counts (chargeback/usage/observations.py).
"""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.extract import ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.slurm_nodes import raw_nodes_of_day
from chargeback.usage.snapshots import listings_of, that_tell_of
from resources.code_version import code_version
from resources.decompression import Undecompressible
from resources.landing import SNAPSHOT_SOURCES, LandedObject, Landing
from resources.object_store import ObjectStore
from resources.parsed_object import ParsedObject, recalled, summary_of
from resources.parsers import SACCT, parser_of
from resources.settings import Settings

FRAMES_KEPT = 24
"""Parsed objects kept in memory: about what one day of one cluster needs twice."""


class Observations:
    """Reads landing objects of a cluster through the parsers, each object once."""

    def __init__(self, landing: Landing, store: ObjectStore, settings: Settings) -> None:
        self._landing = landing
        self._store = store
        self._settings = settings
        self._parsed = lru_cache(maxsize=None)(self._parse_or_recall)
        self._frame_of = lru_cache(maxsize=FRAMES_KEPT)(self._read_frame)

    def is_read(self, landed: LandedObject) -> bool:
        """Whether this version of the parsers has read the object before."""
        return self._store.exists(f"{_stem(landed)}.json")

    def read(self, landed: LandedObject) -> ParsedObject:
        """What one object holds, parsed now if it never was."""
        return self._parsed(landed)

    def parsed(self, source: str, cluster: str) -> list[ParsedObject]:
        """Every object of a source and cluster, in order of extraction."""
        return [self._parsed(landed) for landed in self._landing.objects(source, cluster)]

    def of_interval(self, source: str, cluster: str, interval: Interval) -> list[ParsedObject]:
        """The objects of which a record can speak of the interval.

        A sample lasts beyond its instant, so telemetry reaches back by its staleness. What a snapshot shows as existing
        may last until the next one, and it says what is not there any more: chargeback/usage/snapshots.py.
        """
        parsed = self.parsed(source, cluster)
        if source == "dcgm":
            carried = timedelta(seconds=self._settings.staleness_seconds(cluster))
            return [each for each in parsed if each.overlaps(Interval(interval.start - carried, interval.end))]
        if source not in SNAPSHOT_SOURCES:
            return [each for each in parsed if each.overlaps(interval)]
        return [each for each, tells in zip(parsed, that_tell_of(parsed, interval), strict=True) if tells]

    def gpu_partitions(self, cluster: str) -> frozenset[str]:
        """The Slurm partitions of which some landed record got or asked for a GPU."""
        return frozenset(name for parsed in self.parsed(SACCT, cluster) for name in parsed.gpu_partitions)

    def quarantined(self, source: str, cluster: str, day: str) -> list[tuple[ParsedObject, tuple[Quarantined, ...]]]:
        """The unreadable records of a source that are shown on a day, by object."""
        found = []
        for parsed in self.parsed(source, cluster):
            of_day = tuple(r for r in parsed.quarantined if day in parsed.days_of_quarantined(r, self._settings))
            found += [(parsed, of_day)] if of_day else []
        return found

    def listings(self, source: str, cluster: str) -> pl.DataFrame:
        """The full listings of a source: when what is not in them did not exist."""
        return listings_of(self.parsed(source, cluster))

    def frame(self, objects: Sequence[ParsedObject], *, within: Interval | None = None) -> pl.DataFrame | None:
        """The observations of several objects, with `object` and `extracted_at`; None if there are none.

        `within` keeps those records only that overlap the interval (a record without length counts where it begins).
        """
        frames = [
            self._frame_of(parsed.frame_key).with_columns(
                object=pl.lit(parsed.landed.key), extracted_at=pl.lit(parsed.landed.extracted_at, dtype=INSTANT)
            )
            for parsed in objects
            if parsed.is_readable
        ]
        if not frames:
            return None
        observations = pl.concat(frames, how="vertical")
        return observations.filter(_overlaps(within)) if within else observations

    def inventory(self, cluster: str, day: str, interval: Interval) -> tuple[pl.DataFrame, dict[str, str]]:
        """contracts.raw_nodes of a day, and the listing in force (object key -> sha256) that it comes from."""
        listings = self.parsed("slurm/nodes", cluster)
        seen = self.frame(listings)
        if seen is None:
            return RAW_NODES.empty(), {}
        rows = raw_nodes_of_day(seen, cluster=cluster, day=day, interval=interval)
        chosen = set(rows["object"].unique())
        return rows, {parsed.landed.key: parsed.landed.sha256 for parsed in listings if parsed.landed.key in chosen}

    def _read_frame(self, frame_key: str) -> pl.DataFrame:
        return pl.read_parquet(io.BytesIO(self._store.get(frame_key)))

    def _parse_or_recall(self, landed: LandedObject) -> ParsedObject:
        stem = _stem(landed)
        if not self._store.exists(f"{stem}.json"):
            self._keep(stem, self._parse(landed))
        return recalled(landed, f"{stem}.parquet", json.loads(self._store.get(f"{stem}.json")))

    def _parse(self, landed: LandedObject) -> ParsedExtract | UnreadableExtract:
        cluster = self._settings.cluster(landed.cluster or "")
        try:
            read = parser_of(landed.source, landed.extension)
            parsed = read(self._landing.read(landed), cluster=cluster.name, zone=cluster.zone)
        except (UnreadableExtract, Undecompressible) as refusal:
            return UnreadableExtract(str(refusal))
        known = _known_until(landed.extracted_at)
        if landed.source == "dcgm" or landed.source in SNAPSHOT_SOURCES:  # what has no times speaks of the extraction
            known = [pl.col("overlaps_from").fill_null(pl.lit(landed.extracted_at, dtype=INSTANT)), *known]
        return replace(parsed, frame=parsed.frame.with_columns(known[:-1]).with_columns(known[-1]))

    def _keep(self, stem: str, outcome: ParsedExtract | UnreadableExtract) -> None:
        """Keep the frame first, the summary last: a summary without its frame never stands."""
        if isinstance(outcome, ParsedExtract):
            written = io.BytesIO()
            outcome.frame.write_parquet(written, compression="zstd")
            self._store.put(f"{stem}.parquet", written.getvalue())
        self._store.put(f"{stem}.json", json.dumps(summary_of(outcome), sort_keys=True).encode())


def _stem(landed: LandedObject) -> str:
    return f"parsed/{code_version()}/{landed.key.removeprefix('landing/')}"


def _known_until(extracted_at: datetime) -> list[pl.Expr]:
    """What has no end yet lasts at least until it was seen; a parser does not know when its object was extracted."""
    begins, ends = pl.col("overlaps_from"), pl.col("overlaps_until")
    seen_until = pl.max_horizontal(begins, pl.lit(extracted_at, dtype=INSTANT))
    return [pl.when(ends.is_null() & begins.is_not_null()).then(seen_until).otherwise(ends).alias("overlaps_until")]


def _overlaps(interval: Interval) -> pl.Expr:
    begins, ends = pl.col("overlaps_from"), pl.col("overlaps_until")
    return (begins < interval.end) & ((ends > interval.start) | ((begins == ends) & (begins >= interval.start)))
