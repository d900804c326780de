"""`chargeback extract dcgm`: samples of GPU telemetry, as they were scraped, from a Prometheus into landing/.

An answer is landed as it came, one object for each metric and few hours. Hours are cut on a grid, so that asking again
gives the same bytes, which are landed once. Not here: asking (resources/prometheus_api.py).
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console

from chargeback.billing_period import Interval, day_interval, day_of
from chargeback.usage.dcgm_names import SM_ACTIVE, SPELLINGS
from chargeback.usage.telemetry_samples import ACTIVITY
from resources.lake_binding import bind_lake
from resources.landing import LandedObject, Landing
from resources.open_store import store_at
from resources.prometheus_api import PrometheusAccess, PrometheusRefused
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, load_settings

SOURCE = "dcgm"
EXTENSION = "json.gz"
USUAL_HOURS = 3
MOST_HOURS = 24

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """What a person said about when: two instants, or a billing day; nothing: the last day that is over."""

    since: str | None = None
    until: str | None = None
    day: str | None = None

    def interval(self, settings: Settings, now: datetime) -> Interval:
        """The instants asked for, none of them later than now. Raises SettingsRefused for what is none."""
        if (self.since is None) != (self.until is None) or (self.day and self.since):
            raise SettingsRefused("give --from and --until, or --day, or none of them for the last day that is over")
        if self.since and self.until:
            asked = Interval(_instant(self.since, "--from"), _instant(self.until, "--until"))
        else:
            asked = _day(self.day or _day_before(now, settings), settings)
        cut = Interval(asked.start, min(asked.end, now.replace(microsecond=0)))
        if cut.start >= cut.end:
            raise SettingsRefused(f"nothing is over between {asked.start.isoformat()} and {asked.end.isoformat()}")
        return cut


def extract_dcgm(
    *,
    cluster: str,
    access: PrometheusAccess,
    window: Window,
    selector: str = "",
    hours: int = USUAL_HOURS,
    config: Path | None = None,
    now: datetime | None = None,
) -> list[LandedObject]:
    """Land what Prometheus has of every metric that is read; say what it does not have.

    Raises  SettingsRefused, one line: an unknown cluster, an impossible window, a Prometheus that refuses or has no
            series at all. What was landed before stays.
    """
    if not 1 <= hours <= MOST_HOURS:
        raise SettingsRefused(f"--hours {hours}: from 1 to {MOST_HOURS}")
    settings = load_settings(config)
    settings.cluster(cluster)
    api = access.connected()
    asked_at = (now or datetime.now(UTC)).replace(microsecond=0)
    interval = window.interval(settings, asked_at)
    store = store_at(settings.location)
    bind_lake(store, settings)
    landing, console = Landing(store), Console(soft_wrap=True, highlight=False)
    landed: dict[str, list[LandedObject]] = {metric: [] for metric in SPELLINGS}
    try:
        for metric, spellings in SPELLINGS.items():
            for part in parts_of(interval, hours=hours):
                answer = api.samples(spellings, selector=selector, interval=part)
                if answer.series:
                    content = gzip.compress(answer.content, mtime=0)
                    kept = landing.land(
                        content, source=SOURCE, cluster=cluster, extracted_at=asked_at, extension=EXTENSION
                    )
                    landed[metric].append(kept)
                    _tell(console, metric, part, answer.series, kept)
    except PrometheusRefused as refused:
        raise SettingsRefused(str(refused)) from refused
    _tell_what_is_not_there(console, landed, api.address, interval)
    return [each for objects in landed.values() for each in objects]


def parts_of(interval: Interval, *, hours: int) -> Iterator[Interval]:
    """The interval cut at every so many hours since 1970, in order: cuts do not depend on where it begins."""
    length = timedelta(hours=hours)
    begin = interval.start
    while begin < interval.end:
        cut = _EPOCH + length * ((begin - _EPOCH) // length + 1)
        yield Interval(begin, min(cut, interval.end))
        begin = cut


def _tell(console: Console, metric: str, part: Interval, series: int, kept: LandedObject) -> None:
    verb = "landed as" if kept.is_new else "was landed before as"
    console.print(
        f"{metric} {part.start:%Y-%m-%dT%H:%MZ} to {part.end:%H:%MZ}: {series:,} series, {verb} {kept.key} "
        f"({kept.size:,} bytes)",
        markup=False,
    )


def _tell_what_is_not_there(
    console: Console, landed: dict[str, list[LandedObject]], address: str, interval: Interval
) -> None:
    between = f"between {interval.start.isoformat()} and {interval.end.isoformat()}"
    if not any(landed.values()):
        raise SettingsRefused(f"{address} has no series of DCGM {between}: look at --selector, and at its targets")
    missing = [metric for metric, objects in landed.items() if not objects]
    if missing:
        console.print(f"no series of {', '.join(missing)} {between}", markup=False)
    activity = next((metric for metric in ACTIVITY if landed[metric]), None)
    if activity is None:
        console.print("none of these says how busy a GPU is: all held time will be unmeasured", markup=False)
    elif activity != SM_ACTIVE:
        console.print(f"activity will be read from {activity}; have the exporter export {SM_ACTIVE}", markup=False)


def _day_before(now: datetime, settings: Settings) -> str:
    today = day_interval(day_of(now, settings.zone), settings.zone)
    return day_of(today.start - timedelta(seconds=1), settings.zone)


def _day(text: str, settings: Settings) -> Interval:
    try:
        return day_interval(text, settings.zone)
    except ValueError as error:
        raise SettingsRefused(f"--day {text!r} is no day; write it as 2026-10-05") from error


def _instant(text: str, option: str) -> datetime:
    try:
        read = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise SettingsRefused(f"{option} {text!r} is no instant; write it as 2026-10-05T01:00:00Z") from error
    if read.tzinfo is None:
        raise SettingsRefused(f"{option} {text!r} has no offset; write it as {text}Z or {text}+02:00")
    return read.astimezone(UTC).replace(microsecond=0)
