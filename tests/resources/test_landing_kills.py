"""Extractors killed at any moment: what stands in landing is whole, and trying again ends with each extract once."""

import hashlib
import subprocess
import sys
from pathlib import Path

from resources.landing import Landing
from resources.object_store import ObjectStore
from resources.storage_location import StorageLocation
from tests.resources.landing_writer import SIZE, land

ATTEMPTS = 12


def test_a_killed_extractor_leaves_whole_objects_or_none(location: StorageLocation, store: ObjectStore) -> None:
    writer = subprocess.run(
        [sys.executable, "-m", "tests.resources.landing_writer", location.root, location.endpoint_url or "",
         str(ATTEMPTS)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    landing = Landing(store)

    after_kills = landing.objects("kubernetes/pods", "k8s-b")
    for attempt in range(ATTEMPTS + 1):
        land(location, attempt)
    after_retries = landing.objects("kubernetes/pods", "k8s-b")

    assert int(writer.stdout) > 0
    assert {each.size for each in after_kills} == {SIZE}
    assert all(hashlib.sha256(store.get(each.key)).hexdigest() == each.sha256 for each in after_kills)
    assert len({each.sha256 for each in after_retries}) == len(after_retries) == ATTEMPTS + 1
    assert landing.misnamed() == []
