"""What is asked of a bucket beside objects: whether it keeps versions; and taking away what a probe left behind.

Not here: objects of the lake, none of which is ever taken away (s3_store.py).
"""

import shutil
from contextlib import suppress

from resources.storage_location import StorageLocation
from resources.store_failures import (
    BucketMissing,
    ClockWrong,
    CredentialsRefused,
    StoreFailure,
    StoreSilent,
    StoreUnwell,
    TlsRefused,
)

PROBE = "probe"
NO_BUCKET, NEVER, UNKNOWN = "no bucket", "off", "unknown"
SAYS_NOTHING = (BucketMissing, ClockWrong, CredentialsRefused, StoreSilent, StoreUnwell, TlsRefused)
"""Failures of which it does not follow that a store cannot tell, or may not: it was not asked."""


def versioning_of(location: StorageLocation) -> str:
    """`enabled`, `suspended` or `off`; `unknown` where the store does not say, `no bucket` for a directory.

    Raises  StoreFailure if the question did not reach the bucket: that is no answer.
    """
    if not location.is_s3:
        return NO_BUCKET
    from botocore.exceptions import ClientError

    from resources.s3_client import s3_client
    from resources.s3_errors import s3_failures_named

    try:
        with s3_failures_named(location, ""):
            status = s3_client(location).get_bucket_versioning(Bucket=location.bucket).get("Status")
    except SAYS_NOTHING:
        raise
    except (ClientError, StoreFailure):  # it may not be asked, or the store has no versions
        return UNKNOWN
    return status.lower() if status else NEVER


def clear_probe(location: StorageLocation, place: str) -> None:
    """Take away everything below `place`, every version of it, where that is permitted; else it stays and does no harm.

    Raises  ValueError for a place that is not below probe/.
    """
    if not place.startswith(f"{PROBE}/") or ".." in place:
        raise ValueError(f"{place}: only what lies below {PROBE}/ is taken away")
    if not location.is_s3:
        shutil.rmtree(location.directory / place, ignore_errors=True)
        return
    from botocore.exceptions import ClientError

    from resources.s3_errors import s3_failures_named

    prefix = "/".join(part for part in (location.prefix, place) if part) + "/"
    with suppress(ClientError, StoreFailure), s3_failures_named(location, place):
        _delete_below(location, prefix)


def _delete_below(location: StorageLocation, prefix: str) -> None:
    from resources.s3_client import s3_client

    client, bucket = s3_client(location), location.bucket
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for found in page.get("Contents", []):
            client.delete_object(Bucket=bucket, Key=found["Key"])
    if versioning_of(location) in (NEVER, UNKNOWN):
        return
    for versions in client.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        old = [(each["Key"], each["VersionId"]) for each in versions.get("Versions", [])]
        old += [(each["Key"], each["VersionId"]) for each in versions.get("DeleteMarkers", [])]
        for key, version in old:
            client.delete_object(Bucket=bucket, Key=key, VersionId=version)
