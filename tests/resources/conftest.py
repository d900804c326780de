"""Where adapters are tested: a directory, and a real S3 server."""

from pathlib import Path

import pytest

from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.services.guarded_seaweedfs import guarded_server  # noqa: F401
from tests.services.seaweedfs import S3Server, s3_server  # noqa: F401


@pytest.fixture(params=["directory", "s3"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> StorageLocation:
    """An empty place; each test runs on a directory and on S3. Both have a `name=value` folder above the lake."""
    if request.param == "directory":
        return StorageLocation(str(tmp_path / "env=test" / "lake"))
    server: S3Server = request.getfixturevalue("s3_server")
    return server.fresh_location()


@pytest.fixture
def store(location: StorageLocation) -> ObjectStore:
    """The store of an empty place."""
    return store_at(location)
