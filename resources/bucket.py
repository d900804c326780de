"""What is asked of a bucket beside objects: whether it keeps versions; and taking away what a probe left behind.

Not here: objects of the lake, none of which is ever taken away (s3_store.py).
"""

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from resources.storage_location import StorageLocation, aws_session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PROBE = "probe"
NO_BUCKET, NEVER, UNKNOWN = "no bucket", "off", "unknown"


def versioning_of(location: StorageLocation) -> str:
    """`enabled`, `suspended` or `off`; `unknown` where the store does not say, `no bucket` for a directory."""
    if not location.is_s3:
        return NO_BUCKET
    from botocore.exceptions import ClientError

    try:
        status = _client(location).get_bucket_versioning(Bucket=location.bucket).get("Status")
    except ClientError:  # it may not be asked, or the store has no versions
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

    prefix = "/".join(part for part in (location.prefix, place) if part) + "/"
    with suppress(ClientError):
        _delete_below(location, prefix)


def _delete_below(location: StorageLocation, prefix: str) -> None:
    client, bucket = _client(location), location.bucket
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


def _client(location: StorageLocation) -> "S3Client":
    from botocore.config import Config

    return aws_session().client(
        "s3",
        endpoint_url=location.endpoint_url,
        region_name=location.region or aws_session().region_name or "us-east-1",
        config=Config(
            s3={"addressing_style": "path" if location.path_style else "virtual"},
            retries={"mode": "standard", "max_attempts": 5},
            connect_timeout=10,
            read_timeout=60,
        ),
    )
