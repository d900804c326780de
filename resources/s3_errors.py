"""What botocore's errors mean for a store: which of them are its failures, and which are answers.

Not here: the sentences (store_failures.py), and what an answer such as "no such key" means (s3_store.py).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore import exceptions as aws
from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from resources.storage_location import NOT_ENCRYPTED, StorageLocation
from resources.store_failures import (
    CredentialsRefused,
    ProtectionRefused,
    StoreFailure,
    StoreSilent,
    TlsRefused,
    failure_of_code,
)

ANSWERS = ("NoSuchKey", "NotFound", "404", "PreconditionFailed", "412", "ConditionalRequestConflict", "409")
REFUSES_PROTECTION = ("InvalidRequest", "InvalidArgument", "NotImplemented")

KINDS: Mapping[type[BotoCoreError], type[StoreFailure]] = {
    aws.NoCredentialsError: CredentialsRefused,
    aws.PartialCredentialsError: CredentialsRefused,
    aws.CredentialRetrievalError: CredentialsRefused,
    aws.TokenRetrievalError: CredentialsRefused,
    aws.SSOError: CredentialsRefused,
    aws.ProfileNotFound: CredentialsRefused,
    aws.RefreshWithMFAUnsupportedError: CredentialsRefused,
    aws.SSLError: TlsRefused,
    aws.HTTPClientError: StoreSilent,
    aws.ConnectionError: StoreSilent,
    aws.IncompleteReadError: StoreSilent,
}
"""In this order: botocore's SSLError is one of its ConnectionErrors too."""

CUT = (HTTPError, ConnectionError)
"""What botocore lets through when an answer is cut in its body."""


@contextmanager
def s3_failures_named(location: StorageLocation, key: str) -> Iterator[None]:
    """Within it, what the store did wrong is raised as StoreFailure; what only answers stays a ClientError."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in ANSWERS:
            raise
        if code in REFUSES_PROTECTION and (location.lock_days or location.encryption != NOT_ENCRYPTED):
            raise ProtectionRefused(location.told(key), code) from None
        raise failure_of_code(code, location.told(key)) from None
    except CUT as error:
        raise StoreSilent(location.told(key), type(error).__name__) from None
    except BotoCoreError as error:
        kind = next((kind for cause, kind in KINDS.items() if isinstance(error, cause)), StoreFailure)
        raise kind(location.told(key), type(error).__name__) from None
