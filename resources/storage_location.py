"""Where the lake and its objects lie: a directory, or a prefix of a bucket on any S3-compatible store.

No secret is kept here: credentials come from the standard AWS chain whenever they are needed. Not here: reading or
writing anything.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import boto3

S3_SCHEME = "s3://"


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

    Raises  ValueError for another scheme, a bucket without a name, or an endpoint without TLS that was not allowed.
    """

    root: str
    endpoint_url: str | None = None
    region: str | None = None
    path_style: bool = True
    allow_http: bool = False

    def __post_init__(self) -> None:
        if not self.root or ("://" in self.root and not self.is_s3):
            raise ValueError(f"storage {self.root!r}: must be a directory or s3://bucket/prefix")
        if self.is_s3 and not self.bucket:
            raise ValueError(f"storage {self.root!r}: the bucket has no name")
        if (self.endpoint_url or "").startswith("http://") and not self.allow_http:
            raise ValueError(f"endpoint {self.endpoint_url} has no TLS: use https://, or set allow_http = true")

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

    def delta_options(self) -> dict[str, str]:
        """Storage options for deltalake and polars, with the credentials that hold now; empty for a directory.

        Commits are safe between writers since a log entry is put only if it does not exist yet (conditional put).
        """
        if not self.is_s3:
            return {}
        session = aws_session()
        options = {
            "aws_conditional_put": "etag",
            "aws_region": self.region or session.region_name or "us-east-1",
            "aws_virtual_hosted_style_request": str(not self.path_style).lower(),
            "aws_allow_http": str(self.allow_http).lower(),
        }
        if self.endpoint_url:
            options["aws_endpoint_url"] = self.endpoint_url
        credentials = session.get_credentials()
        if credentials is not None:
            now = credentials.get_frozen_credentials()
            options |= {"aws_access_key_id": now.access_key or "", "aws_secret_access_key": now.secret_key or ""}
            if now.token:
                options["aws_session_token"] = now.token
        return options
