"""Where the lake and its objects lie: a directory, or a prefix of a bucket on any S3-compatible store.

No secret is kept here: credentials come from the standard AWS chain whenever they are needed. Not here: reading or
writing anything.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from resources.store_failures import CredentialsRefused

if TYPE_CHECKING:
    import boto3

S3_SCHEME = "s3://"
NOT_ENCRYPTED, KEY_SERVICE = "none", "aws:kms"
ENCRYPTIONS = (NOT_ENCRYPTED, "AES256", KEY_SERVICE)


@cache
def aws_session() -> "boto3.Session":
    """The process's AWS session: profiles, roles and instance credentials are resolved and refreshed by it.

    boto3 takes half a second to import, so it is imported only where S3 is used.
    """
    import boto3

    return boto3.Session()


@dataclass(frozen=True, slots=True)
class StorageLocation:
    """A directory path, or `s3://bucket/prefix` with what is needed to reach a store that is not Amazon's.

    `encryption` is what the store is asked for with each object; `none` leaves it to the bucket's own default.
    `lock_days` is how long what never changes (landing, evidence, published) can be deleted by nobody; 0 is not at all.
    Raises  ValueError for another scheme, a bucket without a name, an endpoint without TLS that was not allowed or with
    a password in it, and for encryption or locks that cannot be.
    """

    root: str
    endpoint_url: str | None = None
    region: str | None = None
    path_style: bool = True
    allow_http: bool = False
    encryption: str = NOT_ENCRYPTED
    kms_key_id: str | None = None
    lock_days: int = 0

    def __post_init__(self) -> None:
        if not self.root or ("://" in self.root and not self.is_s3):
            raise ValueError(f"storage {self.root!r}: must be a directory or s3://bucket/prefix")
        if self.is_s3 and not self.bucket:
            raise ValueError(f"storage {self.root!r}: the bucket has no name")
        endpoint = urlsplit(self.endpoint_url or "")
        if endpoint.username or endpoint.password or endpoint.query:
            raise ValueError("endpoint_url has a password or a query in it: credentials come from the AWS chain only")
        if endpoint.scheme == "http" and not self.allow_http:
            raise ValueError(f"endpoint {self.endpoint_url} has no TLS: use https://, or set allow_http = true")
        self._refuse_protection_that_cannot_be()

    def _refuse_protection_that_cannot_be(self) -> None:
        if self.encryption not in ENCRYPTIONS:
            raise ValueError(f"encryption {self.encryption!r}: must be one of {', '.join(ENCRYPTIONS)}")
        if self.kms_key_id and self.encryption != KEY_SERVICE:
            raise ValueError(f'kms_key_id is given, and encryption is {self.encryption!r}: it must be "{KEY_SERVICE}"')
        if self.lock_days < 0:
            raise ValueError(f"lock_days {self.lock_days}: must be 0 or more")
        if not self.is_s3 and (self.encryption != NOT_ENCRYPTED or self.lock_days):
            raise ValueError(f"storage {self.root!r}: encryption and lock_days are a bucket's, not a directory's")

    @property
    def is_s3(self) -> bool:
        """Whether it lies on an S3-compatible store."""
        return self.root.startswith(S3_SCHEME)

    @property
    def bucket(self) -> str:
        """Name of the bucket; of S3 locations only."""
        return self.root.removeprefix(S3_SCHEME).partition("/")[0]

    @property
    def prefix(self) -> str:
        """What stands before every key in the bucket: empty, or without a slash at either end."""
        return self.root.removeprefix(S3_SCHEME).partition("/")[2].strip("/")

    @property
    def directory(self) -> Path:
        """The directory, absolute; of local locations only."""
        return Path(self.root).expanduser().absolute()

    def child(self, *parts: str) -> str:
        """Address of something under the root, as Delta and polars take it: a path, or an `s3://` address."""
        if not self.is_s3:
            return str(self.directory.joinpath(*parts))
        return S3_SCHEME + "/".join(part for part in (self.bucket, self.prefix, *parts) if part)

    def told(self, *parts: str) -> str:
        """The root or something under it, as sentences name it: buckets with their endpoint."""
        return f"{self.child(*parts)} at {self.endpoint_url or 'Amazon S3'}" if self.is_s3 else self.child(*parts)

    def delta_options(self) -> dict[str, str]:
        """Storage options for deltalake and polars, with the credentials that hold now; empty for a directory.

        Commits are safe between writers since a log entry is put only if it does not exist yet (conditional put).
        Raises  CredentialsRefused if there are none, or they cannot be renewed.
        """
        if not self.is_s3:
            return {}
        options = {
            "aws_conditional_put": "etag",
            "aws_virtual_hosted_style_request": str(not self.path_style).lower(),
            "aws_allow_http": str(self.allow_http).lower(),
        }
        if self.endpoint_url:
            options["aws_endpoint_url"] = self.endpoint_url
        if self.encryption != NOT_ENCRYPTED:
            options["aws_server_side_encryption"] = self.encryption
        if self.kms_key_id:
            options["aws_sse_kms_key_id"] = self.kms_key_id
        return options | self._found_by_aws_tools()

    def _found_by_aws_tools(self) -> dict[str, str]:
        from botocore.exceptions import BotoCoreError

        try:
            session = aws_session()
            region = self.region or session.region_name or "us-east-1"
            credentials = session.get_credentials()
            now = credentials.get_frozen_credentials() if credentials is not None else None
        except BotoCoreError as failure:
            raise CredentialsRefused(self.told(), type(failure).__name__) from None
        if now is None or not now.access_key or not now.secret_key:
            raise CredentialsRefused(self.told(), "none were found")
        found = {"aws_region": region, "aws_access_key_id": now.access_key, "aws_secret_access_key": now.secret_key}
        return found | ({"aws_session_token": now.token} if now.token else {})
