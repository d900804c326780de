"""Objects in a bucket of any S3-compatible store that knows conditional puts. Keeps the promises of ObjectStore.

Every object is put with its MD5, which the store holds its bytes against. Retries are botocore's, but for answers that
are cut in their body. What the store does wrong is raised as StoreFailure. Not here: how it is reached (s3_client.py).
"""

import base64
import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict, TypeVar

from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

from resources.object_store import ObjectConflict, ObjectMissing, StoredObject, checked_key, removable_key
from resources.s3_client import ATTEMPTS, s3_client
from resources.s3_errors import CUT, s3_failures_named
from resources.s3_protection import protection_of
from resources.storage_location import StorageLocation

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ABSENT = ("NoSuchKey", "404", "NotFound")
BEING_WRITTEN = ("ConditionalRequestConflict", "409")
ATTEMPTS_WHILE_BEING_WRITTEN = 10

Answer = TypeVar("Answer")


class Condition(TypedDict, total=False):
    """The part of a put request that makes it fail where the key is taken."""

    IfNoneMatch: str


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
                self._put(key, content, is_new=True)
            except ClientError as answer:
                if _code(answer) in BEING_WRITTEN:
                    continue
                break  # it is taken
            return True
        stored = self.get(key)
        if stored != content:
            raise ObjectConflict(key, stored=stored, refused=content)
        return False

    def put(self, key: str, content: bytes) -> None:
        """As ObjectStore.put."""
        self._put(key, content, is_new=False)

    def get(self, key: str) -> bytes:
        """As ObjectStore.get. An answer that is cut short is asked for again."""
        with self._failures_named(key):
            try:
                return _repeated(lambda: self._whole(key))
            except ClientError as answer:
                if _code(answer) in ABSENT:
                    raise ObjectMissing(key) from None
                raise

    def exists(self, key: str) -> bool:
        """As ObjectStore.exists."""
        with self._failures_named(key):
            try:
                self._client.head_object(Bucket=self._bucket, Key=self._name(key))
            except ClientError as answer:
                if _code(answer) in ABSENT:
                    return False
                if _code(answer) == "403":  # a HEAD is refused without a word; a GET says why
                    self._client.get_object(Bucket=self._bucket, Key=self._name(key))["Body"].close()
                raise
        return True

    def list(self, prefix: str, *, start_after: str = "") -> list[StoredObject]:
        """As ObjectStore.list."""
        asked = {"Bucket": self._bucket, "Prefix": self._prefix + prefix}
        if start_after:
            asked["StartAfter"] = self._prefix + start_after
        with self._failures_named(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(**asked)  # type: ignore[arg-type]
            found = [
                StoredObject(each["Key"].removeprefix(self._prefix), each["Size"], each["LastModified"])
                for page in _repeated(lambda: list(pages))
                for each in page.get("Contents", [])
                if not each["Key"].endswith("/")  # a folder made by hand in some console
            ]
        return sorted(found, key=lambda each: each.key)

    def remove(self, key: str) -> None:
        """As ObjectStore.remove."""
        with self._failures_named(key):
            self._client.delete_object(Bucket=self._bucket, Key=self._prefix + removable_key(key))

    def move(self, key: str, to: str) -> None:
        """As ObjectStore.move: the store copies it itself, whatever its size."""
        source = {"Bucket": self._bucket, "Key": self._prefix + removable_key(key)}
        if not self.exists(to):
            protected = protection_of(self._location, to, is_new=True)
            with self._failures_named(key):
                try:
                    self._client.copy(source, self._bucket, self._name(to), ExtraArgs=dict(protected))  # type: ignore[arg-type]
                except ClientError as answer:
                    if _code(answer) in ABSENT:
                        raise ObjectMissing(key) from None
                    raise
        self.remove(key)

    def _whole(self, key: str) -> bytes:
        """Raises ConnectionError if the body was cut; botocore's own errors were asked for again by botocore."""
        answer = self._client.get_object(Bucket=self._bucket, Key=self._name(key))
        try:
            return answer["Body"].read()
        except (IncompleteReadError, HTTPClientError) as cut:
            raise ConnectionError(type(cut).__name__) from None

    def _put(self, key: str, content: bytes, *, is_new: bool) -> None:
        digest = hashlib.md5(content, usedforsecurity=False).digest()  # against damage on the way, not against people
        condition: Condition = {"IfNoneMatch": "*"} if is_new else {}
        with self._failures_named(key):
            _repeated(
                lambda: self._client.put_object(
                    Bucket=self._bucket,
                    Key=self._name(key),
                    Body=content,
                    ContentMD5=base64.b64encode(digest).decode(),
                    **condition,
                    **protection_of(self._location, key, is_new=is_new),
                )
            )

    def _failures_named(self, key: str) -> AbstractContextManager[None]:
        return s3_failures_named(self._location, key)

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
        return s3_client(self._location)


def _repeated(request: Callable[[], Answer]) -> Answer:
    """Make a request again whose answer was cut in its body: botocore reads bodies outside its own retries."""
    retrying = Retrying(retry=retry_if_exception_type(CUT), stop=stop_after_attempt(ATTEMPTS), reraise=True)
    return retrying(request)


def _code(answer: ClientError) -> str:
    return str(answer.response.get("Error", {}).get("Code", ""))
