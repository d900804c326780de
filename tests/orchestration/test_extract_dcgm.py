"""`chargeback extract dcgm` against a real Prometheus: every sample as it was scraped, gaps as gaps, landed once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.telemetry_of_day import telemetry_of_day
from orchestration.extract_dcgm import Window, extract_dcgm, parts_of
from resources.landing import Landing
from resources.open_store import store_at
from resources.prometheus_api import PrometheusAccess
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings
from tests.services.prometheus import History, prometheus_with
from tests.small_lake import CLUSTER, SmallLake, small_lake
from tests.tables import instant

DAY = "2026-03-31"
STEP = 30
SM, UTIL = "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
SENTINEL = 9223372036854775794
BLANK = range(700, 703)
GAP = range(1_000, 1_020)
EXTRACTED = "2026-04-01T02:00:00Z"

# A day of the billing zone, Europe/Amsterdam, and a quarter of an hour around it; scraped at odd milliseconds.
INTERVAL = Interval(instant("2026-03-30T22:00Z"), instant("2026-03-31T22:00Z"))
START = INTERVAL.start.timestamp()
SCRAPES = range(-30, 2_880 + 30)


def scrape(number: int, gpu: int) -> float:
    """The instant of a scrape, seconds since 1970."""
    return START + number * STEP + 7.123 + gpu


def ppm(number: int, gpu: int) -> int:
    """How busy a GPU was."""
    return (number * 7_919 + gpu * 500_009) % 1_000_001


def history(gpu: int) -> Iterator[History]:
    """SM_ACTIVE and GPU_UTIL of one GPU: a gap on the second, no values for a while on the first."""
    labels = {"UUID": f"GPU-{gpu}", "Hostname": "gpu01", "gpu": str(gpu), "job": "dcgm", "instance": "gpu01:9400"}
    numbers = [number for number in SCRAPES if not (gpu == 1 and number in GAP)]
    active = {scrape(number, gpu): f"{ppm(number, gpu) / 1_000_000:.6f}" for number in numbers}
    if gpu == 0:
        active |= {scrape(number, gpu): str(SENTINEL) for number in BLANK}
    yield History(SM, labels, active)
    yield History(UTIL, labels, {scrape(number, gpu): number % 101 for number in numbers})


def expected() -> list[tuple[int, int, int | None, int]]:
    """device, instant, activity and running of every sample, as it was made."""
    rows: list[tuple[int, int, int | None, int]] = []
    for gpu in (0, 1):
        for number in range(-1, 2_880):
            if not (gpu == 1 and number in GAP):
                at = number * STEP * 1_000 + 7_123 + gpu * 1_000
                is_blank = gpu == 0 and number in BLANK
                rows.append((gpu, at, None if is_blank else ppm(number, gpu), number % 101 * 10_000))
    return rows


@dataclass(frozen=True)
class Site:
    """A lake, and a Prometheus that scraped two GPUs of it."""

    lake: SmallLake
    prometheus: str

    def landed(self) -> list[tuple[str, bytes]]:
        """Key and content of each object of telemetry."""
        landing = Landing(store_at(load_settings(self.lake.folder / "chargeback.toml").location))
        return [(each.key, landing.read(each)) for each in landing.objects("dcgm", CLUSTER)]

    def telemetry(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What landed, folded to the day as the assets do it."""
        observations = pl.concat(
            parse_dcgm(content, cluster=CLUSTER).frame.with_columns(
                object=pl.lit(key), extracted_at=pl.lit(instant(EXTRACTED), dtype=INSTANT)
            )
            for key, content in self.landed()
        )
        return telemetry_of_day(observations, cluster=CLUSTER, day=DAY, interval=INTERVAL, staleness_seconds=90)

    def extract(self, *arguments: str) -> str:
        """The real command; what it says."""
        done = self.lake.run("extract", "dcgm", "--cluster", CLUSTER, "--prometheus", self.prometheus, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *arguments: str) -> str:
        """The real command where it cannot be met; its one line."""
        done = self.lake.run("extract", "dcgm", "--cluster", CLUSTER, "--prometheus", self.prometheus, *arguments)
        assert done.returncode == 2, done.stdout + done.stderr
        assert done.stderr.count("\n") == 1
        return done.stderr


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus with the history."""
    with prometheus_with(tmp_path_factory.mktemp("prometheus"), *history(0), *history(1)) as url:
        yield url


@pytest.fixture
def site(tmp_path: Path, scraped: str) -> Site:
    """A new lake beside it."""
    return Site(small_lake(tmp_path), scraped)


@pytest.mark.debian
def test_each_sample_of_a_day_is_what_prometheus_scraped_and_a_gap_stays_a_gap(site: Site) -> None:
    before = "2026-03-30"
    site.extract("--day", before)
    said = site.extract("--day", DAY)

    devices, samples = site.telemetry()

    assert day_interval(DAY, load_settings(site.lake.folder / "chargeback.toml").zone) == INTERVAL
    found = samples.select("device", "at_milliseconds", "active_ppm", "running_ppm").rows()
    assert found == expected()
    assert devices.select(pl.col("sentinels", "impossible", "duplicates", "conflicts").sum()).row(0) == (3, 0, 0, 0)
    on_second = devices.filter(pl.col("device") == 1).select("seen_from", "seen_until", "samples").rows()
    assert [row[2] for row in on_second] == [1 + GAP.start, 2_880 - GAP.stop]
    assert f"{SM} 2026-03-30T22:00Z to 00:00Z: 2 series, landed as landing/dcgm/cluster=slurm-a/" in said
    assert "no series of DCGM_FI_PROF_GR_ENGINE_ACTIVE, DCGM_FI_DEV_POWER_USAGE" in said


@pytest.mark.debian
def test_asking_again_lands_the_same_bytes_once_and_changes_nothing(site: Site) -> None:
    site.extract("--day", DAY)
    first, tables = site.landed(), site.telemetry()

    said = site.extract("--day", DAY)

    assert site.landed() == first
    assert said.count("was landed before as") == len(first)
    assert " landed as " not in said
    assert [frame.equals(again) for frame, again in zip(tables, site.telemetry(), strict=True)] == [True, True]


@pytest.mark.debian
def test_windows_that_overlap_and_other_cuts_change_nothing(site: Site) -> None:
    site.extract("--day", DAY)
    tables = site.telemetry()

    site.extract("--from", "2026-03-31T01:15:00Z", "--until", "2026-03-31T09:47:31+02:00", "--hours", "1")

    assert [frame.equals(again) for frame, again in zip(tables, site.telemetry(), strict=True)] == [True, True]


@pytest.mark.debian
def test_a_selector_keeps_other_exporters_out(site: Site) -> None:
    window = ("--from", "2026-03-31T00:00:00Z", "--until", "2026-03-31T01:00:00Z")
    site.extract(*window, "--selector", '{job="dcgm",gpu=~"1"}')

    assert site.telemetry()[0]["gpu"].unique().to_list() == ["GPU-1"]
    assert "has no series of DCGM between" in site.refused(*window, "--selector", '{job="other"}')
    assert "refused {__name__=~" in site.refused(*window, "--selector", "{job=}")


@pytest.mark.parametrize(
    "window, hours, told",
    [
        (Window(day="yesterday"), 3, "--day 'yesterday' is no day"),
        (Window(since="2026-03-31T00:00:00Z"), 3, "give --from and --until, or --day"),
        (Window("2026-03-31T00:00:00Z", "2026-03-31T01:00:00Z", DAY), 3, "give --from and --until, or --day"),
        (Window("2026-03-31T00:00:00", "2026-03-31T01:00:00Z"), 3, "--from '2026-03-31T00:00:00' has no offset"),
        (Window("2026-03-31T00:00:00Z", "noon"), 3, "--until 'noon' is no instant"),
        (Window("2026-03-31T01:00:00Z", "2026-03-31T01:00:00Z"), 3, "nothing is over between"),
        (Window(day=DAY), 0, "--hours 0: from 1 to 24"),
    ],
)
def test_a_window_that_is_none_is_refused_before_anything_is_asked(
    tmp_path: Path, window: Window, hours: int, told: str
) -> None:
    config = small_lake(tmp_path).folder / "chargeback.toml"
    nowhere = PrometheusAccess("http://127.0.0.1:1")

    with pytest.raises(SettingsRefused, match=re.escape(told)):
        extract_dcgm(cluster=CLUSTER, access=nowhere, window=window, hours=hours, config=config)


def test_a_cluster_that_nobody_set_up_is_refused(tmp_path: Path) -> None:
    config = small_lake(tmp_path).folder / "chargeback.toml"

    with pytest.raises(SettingsRefused, match="slurm-z"):
        extract_dcgm(
            cluster="slurm-z", access=PrometheusAccess("http://127.0.0.1:1"), window=Window(day=DAY), config=config
        )


def test_without_a_window_the_last_day_that_is_over_is_asked_for(tmp_path: Path) -> None:
    settings = load_settings(small_lake(tmp_path).folder / "chargeback.toml")

    assert Window().interval(settings, instant("2026-04-01T05:00Z")) == INTERVAL
    assert Window().interval(settings, instant("2026-03-31T22:00Z")) == INTERVAL
    # A day that still runs is asked for until now.
    running = Window(day=DAY).interval(settings, instant("2026-03-31T05:00Z"))
    assert running == Interval(INTERVAL.start, instant("2026-03-31T05:00Z"))
    with pytest.raises(SettingsRefused, match="nothing is over between"):
        Window(day="2026-04-01").interval(settings, instant("2026-03-31T05:00Z"))


def test_hours_are_cut_at_the_same_instants_wherever_a_window_begins() -> None:
    def cuts(start: str, end: str) -> list[datetime]:
        parts = list(parts_of(Interval(instant(start), instant(end)), hours=3))
        assert all(one.end == two.start for one, two in pairwise(parts))
        assert all(timedelta(0) < part.end - part.start <= timedelta(hours=3) for part in parts)
        return [part.end for part in parts[:-1]]

    assert cuts("2026-03-31T00:00Z", "2026-03-31T12:00Z") == [instant(f"2026-03-31T{h:02}:00Z") for h in (3, 6, 9)]
    assert cuts("2026-03-31T02:59:59Z", "2026-03-31T07:00Z") == [instant(f"2026-03-31T{h:02}:00Z") for h in (3, 6)]
