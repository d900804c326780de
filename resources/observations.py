"""What landing objects say of the days of a cluster: the step between landing/ and the raw tables.

Not here: reading objects (parse_cache.py), which observation of a record counts (chargeback/usage/observations.py).
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.extract import Quarantined
from chargeback.usage.slurm_nodes import listing_in_force, raw_nodes_of_day
from chargeback.usage.snapshots import SnapshotTimes, listings_of
from resources.landing import SNAPSHOT_SOURCES, LandedObject, Landing
from resources.object_store import ObjectStore
from resources.parse_cache import ParseCache
from resources.parsed_object import ParsedObject
from resources.parsers import SACCT
from resources.settings import Settings

REVISED_SOURCES = ("slurm/sacct", "slurm/events", "slurm/reservations")
"""Sources of records with a beginning and an end, of which a later extract may say that they had ended before."""

Unread = tuple[ParsedObject, tuple[Quarantined, ...]]
"""An object and unreadable records of it."""


class SourceObjects:
    """All objects of one source and cluster as listed once, by extraction; put in order for whoever asks many days."""

    def __init__(self, parsed: Sequence[ParsedObject], settings: Settings) -> None:
        self.parsed = parsed
        self._settings = settings

    def overlapping(self, interval: Interval) -> list[ParsedObject]:
        """Those of which a record can speak of the interval."""
        return [self.parsed[at] for at in self._overlapping(interval)["at"]]

    def overlapping_or_revising(self, interval: Interval) -> list[ParsedObject]:
        """The same, and those that can say that what others show in the interval had ended before it.

        They were extracted after the interval began and after one of the others, and reach back to its records: so
        few that days of nightly extracts have none.
        """
        overlapping = self._overlapping(interval)
        ended = self._spans.filter(pl.col("overlaps_until") < interval.start, pl.col("extracted_at") > interval.start)
        earlier = overlapping.sort("extracted_at").select("extracted_at", reaches_to=pl.col("overlaps_from").cum_min())
        revising = (
            ended.sort("extracted_at")
            .join_asof(earlier, on="extracted_at", strategy="backward", allow_exact_matches=False)
            .filter(pl.col("reaches_to") <= pl.col("overlaps_until"))
        )
        return [self.parsed[at] for at in sorted([*overlapping["at"], *revising["at"]])]

    def telling(self, interval: Interval) -> list[ParsedObject]:
        """Of snapshots those that tell of the interval: chargeback/usage/snapshots.py."""
        return [self.parsed[at] for at in self._times.telling(interval)]

    def unread(self, day: str) -> list[Unread]:
        """The unreadable records that are shown on a day, by object."""
        return self._unread.get(day, [])

    def _overlapping(self, interval: Interval) -> pl.DataFrame:
        return self._spans.filter(pl.col("overlaps_from") < interval.end, pl.col("overlaps_until") >= interval.start)

    @cached_property
    def _spans(self) -> pl.DataFrame:
        rows = [(at, each.overlaps_from, each.overlaps_until, each.extracted_at) for at, each in enumerate(self.parsed)]
        schema = {"at": pl.Int64(), "overlaps_from": INSTANT, "overlaps_until": INSTANT, "extracted_at": INSTANT}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @cached_property
    def _times(self) -> SnapshotTimes:
        return SnapshotTimes(self.parsed)

    @cached_property
    def _unread(self) -> dict[str, list[Unread]]:
        shown: dict[str, list[Unread]] = {}
        for each in self.parsed:
            of_day: dict[str, list[Quarantined]] = {}
            for record in each.quarantined:
                for day in each.days_of_quarantined(record, self._settings):
                    of_day.setdefault(day, []).append(record)
            for day, records in of_day.items():
                shown.setdefault(day, []).append((each, tuple(records)))
        return shown


class Observations:
    """Reads landing objects of a cluster through the parsers, each object once. Landing is listed at every question."""

    def __init__(
        self, landing: Landing, store: ObjectStore, settings: Settings, *, cache: ParseCache | None = None
    ) -> None:
        self._landing = landing
        self._store = store
        self._settings = settings
        self._cache = cache or ParseCache(landing, store, settings)

    def as_listed_once(self) -> "Observations":
        """The same for many questions at one time: every source is listed at the first and then taken to stand."""
        return _ListedOnce(self._landing, self._store, self._settings, cache=self._cache)

    def is_read(self, landed: LandedObject) -> bool:
        """Whether this version of the parsers has read the object before."""
        return self._cache.is_read(landed)

    def read(self, landed: LandedObject) -> ParsedObject:
        """What one object holds, parsed now if it never was."""
        return self._cache.read(landed)

    def parsed(self, source: str, cluster: str) -> Sequence[ParsedObject]:
        """Every object of a source and cluster, in order of extraction."""
        return self.objects(source, cluster).parsed

    def objects(self, source: str, cluster: str) -> SourceObjects:
        """The same, to be asked about intervals."""
        return SourceObjects(self._cache.read_all(self._landing.objects(source, cluster)), self._settings)

    def of_interval(self, source: str, cluster: str, interval: Interval) -> list[ParsedObject]:
        """The objects of which a record can speak of the interval.

        A sample lasts beyond its instant, so telemetry reaches back by its staleness. An extract of jobs, events or
        reservations also speaks of the time that it takes back. What a snapshot shows as existing may last until the
        next one, and it says what is not there any more: chargeback/usage/snapshots.py.
        """
        objects = self.objects(source, cluster)
        if source == "dcgm":
            carried = timedelta(seconds=self._settings.staleness_seconds(cluster))
            return objects.overlapping(Interval(interval.start - carried, interval.end))
        if source in SNAPSHOT_SOURCES:
            return objects.telling(interval)
        return objects.overlapping_or_revising(interval) if source in REVISED_SOURCES else objects.overlapping(interval)

    def gpu_partitions(self, cluster: str) -> frozenset[str]:
        """The Slurm partitions of which some landed record got or asked for a GPU."""
        return frozenset(name for parsed in self.parsed(SACCT, cluster) for name in parsed.gpu_partitions)

    def quarantined(self, source: str, cluster: str, day: str) -> list[Unread]:
        """The unreadable records of a source that are shown on a day, by object."""
        return self.objects(source, cluster).unread(day)

    def listings(self, source: str, cluster: str) -> pl.DataFrame:
        """The full listings of a source: when what is not in them did not exist."""
        return listings_of(self.parsed(source, cluster))

    def frame(
        self, objects: Sequence[ParsedObject], *, within: Interval | None = None, revised: Sequence[str] = ()
    ) -> pl.DataFrame | None:
        """The observations of several objects, with `object` and `extracted_at`; None if there are none.

        `within` keeps those records only that overlap the interval (a record without length counts where it begins).
        `revised` names what identifies a record, its beginning included: then what says later of a kept record that it
        ended before the interval is kept too.
        """
        frames = []
        for parsed in objects:
            if parsed.is_readable:
                placed = self._cache.frame(parsed).with_columns(
                    object=pl.lit(parsed.landed.key), extracted_at=pl.lit(parsed.landed.extracted_at, dtype=INSTANT)
                )
                if within:  # one by one, so that memory is bounded by the interval
                    placed = placed.filter(overlaps(within) | (ended_before(within) if revised else pl.lit(False)))
                frames.append(placed)
        if not frames:
            return None
        observations = pl.concat(frames, how="vertical")
        return kept_of_interval(observations, within, revised) if within else observations

    def inventory(self, cluster: str, day: str, interval: Interval) -> tuple[pl.DataFrame, dict[str, str]]:
        """contracts.raw_nodes of a day, and the listing in force (object key -> sha256) that it comes from."""
        chosen = self.inventory_in_force(cluster, interval)
        seen = self.frame([chosen]) if chosen else None
        if chosen is None or seen is None:
            return RAW_NODES.empty(), {}
        rows = raw_nodes_of_day(seen, cluster=cluster, day=day, interval=interval)
        return rows, {chosen.landed.key: chosen.landed.sha256}

    def inventory_in_force(self, cluster: str, interval: Interval) -> ParsedObject | None:
        """The node listing that holds on a day, if any has a readable node."""
        listings = [each for each in self.parsed("slurm/nodes", cluster) if each.said]
        said = [(each.extracted_at, each.said or "") for each in listings]
        return listings[listing_in_force(said, interval)] if listings else None


class _ListedOnce(Observations):
    """Observations that list every source once."""

    def __init__(self, landing: Landing, store: ObjectStore, settings: Settings, *, cache: ParseCache | None) -> None:
        super().__init__(landing, store, settings, cache=cache)
        self._objects: dict[tuple[str, str], SourceObjects] = {}

    def objects(self, source: str, cluster: str) -> SourceObjects:
        """As listed at the first question."""
        if (source, cluster) not in self._objects:
            self._objects[source, cluster] = super().objects(source, cluster)
        return self._objects[source, cluster]


def kept_of_interval(observations: pl.DataFrame, interval: Interval, revised: Sequence[str]) -> pl.DataFrame:
    """The observations that overlap an interval, and those that revise one of them: it ended before."""
    overlapping = observations.filter(overlaps(interval))
    if not revised:
        return overlapping
    ended = observations.filter(ended_before(interval))
    return pl.concat([overlapping, ended.join(overlapping.select(revised).unique(), on=revised, how="semi")])


def overlaps(interval: Interval) -> pl.Expr:
    """Whether a record speaks of an interval."""
    begins, ends = pl.col("overlaps_from"), pl.col("overlaps_until")
    return (begins < interval.end) & ((ends > interval.start) | ((begins == ends) & (begins >= interval.start)))


def ended_before(interval: Interval) -> pl.Expr:
    """Whether a record was seen after an interval had begun, as one that had ended by then."""
    return (pl.col("overlaps_until") <= interval.start) & (pl.col("extracted_at") > interval.start)
