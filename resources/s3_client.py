"""A client of an S3-compatible store, with how long it waits and how often it asks again.

Credentials come from the standard chain (environment, profile, role). Not here: what is asked (s3_store.py, bucket.py),
and what a refusal means (s3_errors.py).
"""

from typing import TYPE_CHECKING

from botocore.config import Config

from resources.storage_location import StorageLocation, aws_session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MOST_CONNECTIONS = 16
"""As many as notes of partitions are read at once (lake_state.py)."""
ATTEMPTS, SECONDS_TO_CONNECT, SECONDS_TO_ANSWER = 5, 5, 30


def s3_client(location: StorageLocation) -> "S3Client":
    """A client of the location's store. Raises botocore's errors for a profile or region that cannot be."""
    return aws_session().client(
        "s3",
        endpoint_url=location.endpoint_url,
        region_name=location.region or aws_session().region_name or "us-east-1",
        config=Config(
            s3={"addressing_style": "path" if location.path_style else "virtual"},
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            connect_timeout=SECONDS_TO_CONNECT,
            read_timeout=SECONDS_TO_ANSWER,
            max_pool_connections=MOST_CONNECTIONS,
            # Newer default checksums are unknown to many stores that are not Amazon's.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )
