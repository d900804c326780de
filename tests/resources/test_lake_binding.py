"""A lake is bound to its zone and currency; a record of it that cannot be read is told, and nothing is assumed."""

from pathlib import Path

import pytest

from resources.lake_binding import BINDING_KEY, bind_lake
from resources.local_store import LocalStore
from resources.setting_kinds import SettingsRefused
from resources.storage_location import StorageLocation
from tests.foreign_records import FOREIGN
from tests.orchestration.sensor_ticks import settings_of


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_damaged_binding_is_one_sentence_with_its_place_and_what_to_do(tmp_path: Path, content: bytes) -> None:
    store, settings = LocalStore(tmp_path), settings_of(StorageLocation(str(tmp_path)))
    bind_lake(store, settings)
    bind_lake(store, settings)
    (tmp_path / BINDING_KEY).write_bytes(content)

    with pytest.raises(SettingsRefused, match=rf"{BINDING_KEY}: this record .* cannot be read: restore it"):
        bind_lake(store, settings)
