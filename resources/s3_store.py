"""Objects in a bucket of any S3-compatible store that knows conditional puts. Keeps the promises of ObjectStore.

Credentials come from the standard chain (environment, profile, role). Retries are botocore's. Not here: events.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from botocore.config import Config
from botocore.exceptions import ClientError

from resources.object_store import ObjectConflict, ObjectMissing, StoredObject, checked_key, removable_key
from resources.storage_location import StorageLocation, aws_session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ABSENT = ("NoSuchKey", "404", "NotFound")
TAKEN = ("PreconditionFailed", "412")
BEING_WRITTEN = ("ConditionalRequestConflict", "409")
ATTEMPTS_WHILE_BEING_WRITTEN = 10


class S3Store:
    """Objects under a prefix of one bucket, shared by any number of writers."""

    def __init__(self, location: StorageLocation) -> None:
        self._location = location

    def __getstate__(self) -> dict[str, StorageLocation]:
        return {"_location": self._location}  # a client cannot be sent to another process

    def put_new(self, key: str, content: bytes) -> bool:
        """As ObjectStore.put_new: the store itself refuses the put if the key is taken (If-None-Match: *)."""
        for _ in range(ATTEMPTS_WHILE_BEING_WRITTEN):
            try:
                self._client.put_object(Bucket=self._bucket, Key=self._name(key), Body=content, IfNoneMatch="*")
            except ClientError as failure:
                if _code(failure) in BEING_WRITTEN:
                    continue
                if _code(failure) not in TAKEN:
                    raise
                return self._same_as_stored(key, content)
            return True
        return self._same_as_stored(key, content)

    def put(self, key: str, content: bytes) -> None:
        """As ObjectStore.put."""
        self._client.put_object(Bucket=self._bucket, Key=self._name(key), Body=content)

    def get(self, key: str) -> bytes:
        """As ObjectStore.get."""
        try:
            return self._client.get_object(Bucket=self._bucket, Key=self._name(key))["Body"].read()
        except ClientError as failure:
            if _code(failure) in ABSENT:
                raise ObjectMissing(key) from None
            raise

    def exists(self, key: str) -> bool:
        """As ObjectStore.exists."""
        try:
            self._client.head_object(Bucket=self._bucket, Key=self._name(key))
        except ClientError as failure:
            if _code(failure) in ABSENT:
                return False
            raise
        return True

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        """As ObjectStore.list."""
        asked = {"Bucket": self._bucket, "Prefix": self._prefix + prefix}
        if start_after:
            asked["StartAfter"] = self._prefix + start_after
        pages = self._client.get_paginator("list_objects_v2").paginate(**asked)  # type: ignore[arg-type]
        found = [
            StoredObject(each["Key"].removeprefix(self._prefix), each["Size"], each["LastModified"])
            for page in pages
            for each in page.get("Contents", [])
            if not each["Key"].endswith("/")  # a folder made by hand in some console
        ]
        return sorted(found, key=lambda each: each.key)

    def remove(self, key: str) -> None:
        """As ObjectStore.remove."""
        self._client.delete_object(Bucket=self._bucket, Key=self._prefix + removable_key(key))

    def move(self, key: str, to: str) -> None:
        """As ObjectStore.move: the store copies it itself, whatever its size."""
        old = self._prefix + removable_key(key)
        if not self.exists(to):
            try:
                self._client.copy({"Bucket": self._bucket, "Key": old}, self._bucket, self._name(to))
            except ClientError as failure:
                if _code(failure) in ABSENT:
                    raise ObjectMissing(key) from None
                raise
        self._client.delete_object(Bucket=self._bucket, Key=old)

    def _same_as_stored(self, key: str, content: bytes) -> bool:
        stored = self.get(key)
        if stored != content:
            raise ObjectConflict(key, stored=stored, refused=content)
        return False

    def _name(self, key: str) -> str:
        return self._prefix + checked_key(key)

    @property
    def _bucket(self) -> str:
        return self._location.bucket

    @property
    def _prefix(self) -> str:
        return f"{self._location.prefix}/" if self._location.prefix else ""

    @cached_property
    def _client(self) -> "S3Client":
        return aws_session().client(
            "s3",
            endpoint_url=self._location.endpoint_url,
            region_name=self._location.region or aws_session().region_name or "us-east-1",
            config=Config(
                s3={"addressing_style": "path" if self._location.path_style else "virtual"},
                retries={"mode": "standard", "max_attempts": 5},
                connect_timeout=10,
                read_timeout=60,
                # Newer default checksums are unknown to many stores that are not Amazon's.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )


def _code(failure: ClientError) -> str:
    return str(failure.response.get("Error", {}).get("Code", ""))
