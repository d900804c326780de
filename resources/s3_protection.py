"""What an object on S3 is put with so that it is encrypted, and so that nobody can take it away before its time.

Not here: what Delta writes (storage_location.py), and the bucket itself, which must allow it.
"""

from datetime import UTC, datetime, timedelta
from typing import Literal, TypedDict

from resources.storage_location import KEY_SERVICE, NOT_ENCRYPTED, StorageLocation

LOCKED = ("landing/", "evidence/", "published/")
"""What never changes once it is stored."""


class Protection(TypedDict, total=False):
    """The part of a put request that asks for it, in the words of S3."""

    ServerSideEncryption: Literal["AES256", "aws:kms"]
    SSEKMSKeyId: str
    ObjectLockMode: Literal["GOVERNANCE"]
    ObjectLockRetainUntilDate: datetime


def protection_of(location: StorageLocation, key: str, *, is_new: bool) -> Protection:
    """What to ask for with an object; a lock only for one that never changes (`is_new`) and lies below LOCKED."""
    asked: Protection = {}
    if location.encryption == KEY_SERVICE:
        asked["ServerSideEncryption"] = "aws:kms"
        if location.kms_key_id:
            asked["SSEKMSKeyId"] = location.kms_key_id
    elif location.encryption != NOT_ENCRYPTED:
        asked["ServerSideEncryption"] = "AES256"
    if is_new and location.lock_days and key.startswith(LOCKED):
        asked["ObjectLockMode"] = "GOVERNANCE"
        asked["ObjectLockRetainUntilDate"] = datetime.now(UTC) + timedelta(days=location.lock_days)
    return asked
