"""Which store a location means. Not here: what a store promises (object_store.py), and how the two kinds keep it."""

from resources.local_store import LocalStore
from resources.object_store import ObjectStore
from resources.storage_location import StorageLocation


def store_at(location: StorageLocation) -> ObjectStore:
    """The store of a location."""
    if location.is_s3:
        from resources.s3_store import S3Store  # boto3 is imported only where S3 is used

        return S3Store(location)
    return LocalStore(location.directory)
