"""A process knows what was parsed from one listing and one index; without the index it only takes longer."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assets.landed_records import day_called
from assets.quarantine import quarantine_told
from assets.raw_events import raw_events_told
from assets.raw_sacct import raw_sacct_told
from resources.landing import Landing
from resources.local_store import LocalStore
from resources.observations import Observations
from resources.parse_cache import MISSING_FROM_INDEX
from resources.settings import Settings, load_settings
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import settings_of
from tests.orchestration.test_touched_days import job, sacct
from tests.raw_estate import TOML

MORNING = datetime(2026, 10, 3, tzinfo=UTC)


class CountingStore(LocalStore):
    """A directory that counts what is asked of it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.root = root
        self.asked: Counter[str] = Counter()

    def get(self, key: str) -> bytes:
        self.asked[key.partition("/")[0]] += 1
        return super().get(key)


@pytest.fixture
def store(tmp_path: Path) -> CountingStore:
    """As many objects as one index is written for, parsed once."""
    (tmp_path / "chargeback.toml").write_text(TOML.format(first_day="2026-10-01", zone="UTC"))
    store = CountingStore(tmp_path / "lake")
    for number in range(MISSING_FROM_INDEX):
        Landing(store).land(
            sacct(job(number, "01 08:00", "01 09:00")), source="slurm/sacct", cluster="slurm-a",
            extracted_at=MORNING + timedelta(minutes=number), extension="psv",
        )  # fmt: skip
    read(store, tmp_path)
    store.asked.clear()
    return store


def read(store: CountingStore, folder: Path) -> int:
    """How many objects a fresh process knows."""
    observations = Observations(Landing(store), store, load_settings(folder / "chargeback.toml"))
    return len(observations.parsed("slurm/sacct", "slurm-a"))


def index_of(folder: Path) -> Path:
    (index,) = (folder / "lake" / "parsed").rglob("index/slurm/sacct/*.json.gz")
    return index


def test_a_fresh_process_needs_one_request_for_all_summaries(store: CountingStore, tmp_path: Path) -> None:
    assert read(store, tmp_path) == MISSING_FROM_INDEX
    assert store.asked == {"parsed": 1}


def test_a_damaged_index_is_read_anew_and_written_again(store: CountingStore, tmp_path: Path) -> None:
    whole = index_of(tmp_path).read_bytes()
    index_of(tmp_path).write_bytes(whole[: len(whole) // 2])

    assert read(store, tmp_path) == MISSING_FROM_INDEX
    assert index_of(tmp_path).read_bytes() == whole


def test_a_deleted_cache_is_parsed_again_from_landing(store: CountingStore, tmp_path: Path) -> None:
    for kept in (tmp_path / "lake" / "parsed").rglob("*.json*"):
        kept.unlink()

    assert read(store, tmp_path) == MISSING_FROM_INDEX
    assert store.asked["landing"] == MISSING_FROM_INDEX


def test_times_without_an_offset_are_read_anew_when_the_zone_of_their_cluster_is_another(
    store: CountingStore, tmp_path: Path
) -> None:
    def begins(zone: str) -> datetime:
        text = TOML.format(first_day="2026-10-01", zone="UTC")
        text = text.replace('slurm-a]\ntimezone = "UTC"', f'slurm-a]\ntimezone = "{zone}"')
        (tmp_path / "chargeback.toml").write_text(text)
        observations = Observations(Landing(store), store, load_settings(tmp_path / "chargeback.toml"))
        first = observations.parsed("slurm/sacct", "slurm-a")[0]
        read = observations.frame([first])
        assert read is not None
        assert read["overlaps_from"][0] == first.overlaps_from
        return first.overlaps_from or MORNING

    assert begins("UTC") == datetime(2026, 10, 1, 8, tzinfo=UTC)
    assert begins("Europe/Amsterdam") == datetime(2026, 10, 1, 6, tzinfo=UTC)
    assert begins("UTC") == datetime(2026, 10, 1, 8, tzinfo=UTC)


def test_a_day_of_a_cluster_whose_zone_is_another_now_follows_from_other_inputs(store: CountingStore) -> None:
    settings = settings_of(StorageLocation(str(store.root)))
    moved = replace(settings, clusters={"slurm-a": replace(settings.clusters["slurm-a"], timezone="Asia/Tokyo")})

    def prints(chosen: Settings) -> set[str]:
        observations, day = Observations(Landing(store), store, chosen), day_called("slurm-a", "2026-10-01", chosen)
        told = (
            raw_sacct_told(observations, day),
            raw_events_told(observations, day),
            quarantine_told(observations, day),
        )
        return {f"{each.contract.table} {each.inputs.provenance('r').fingerprint}" for each in told}

    assert prints(settings) == prints(settings)
    assert not prints(settings) & prints(moved)
