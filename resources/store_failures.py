"""What a store says when it cannot do what was asked: one sentence with what, where, and what to do about it.

The words of the store itself are never repeated: they may hold access keys and signed addresses. Only the name of its
error is. Not here: answers that are no failure (a missing object, a key that is taken), and wrong data.
"""

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class StoreFailure(Exception):
    """The store refused or failed. What was stored before stands; what was under way is complete or absent."""

    what = "the store refused the request"
    remedy = "look into the store's own log for the reason"

    def __init__(self, where: str, reason: str = "") -> None:
        super().__init__(where, reason)
        self.where, self.reason = where, reason

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.where}: {self.what}{reason}; {self.remedy}"


class StoreFull(StoreFailure):
    """A disk, volume or quota has no room."""

    what = "there is no room left"
    remedy = "make room or raise the quota, then run it again: nothing that stood there was lost"


class AccessRefused(StoreFailure):
    """Who runs this may not do it there, or nobody may: a read-only file system."""

    what = "access is refused"
    remedy = "make the place writable, or give who runs this the rights that its work needs, then run it again"


class CredentialsRefused(StoreFailure):
    """There are no credentials, or the store does not take them any more."""

    what = "the credentials are missing, wrong or expired"
    remedy = "renew them where AWS tools look for them (environment, profile or role), then run it again"


class ClockWrong(StoreFailure):
    """The store's clock and this machine's are too far apart for signatures."""

    what = "the clock of this machine is too far from the store's"
    remedy = "set the clock (NTP), then run it again"


class BucketMissing(StoreFailure):
    """The bucket is not there."""

    what = "the bucket does not exist"
    remedy = "make the bucket, or correct [lake] root and endpoint_url"


class StoreSilent(StoreFailure):
    """Nobody answers at the endpoint, or too late."""

    what = "the store does not answer"
    remedy = "see that it runs and that [lake] endpoint_url is right, then run it again"


class TlsRefused(StoreFailure):
    """The connection could not be made safe."""

    what = "no trusted TLS connection can be made"
    remedy = "correct [lake] endpoint_url, or make this machine trust the authority of the store's certificate"


class ConditionalPutUnknown(StoreFailure):
    """The store cannot refuse to overwrite: two writers would lose each other's work."""

    what = "the store knows no conditional put (If-None-Match)"
    remedy = "keep the lake on a store that does; chargeback preflight --storage tells which can be trusted"


class ProtectionRefused(StoreFailure):
    """The store or the bucket cannot encrypt or lock as the settings ask."""

    what = "the store cannot encrypt or lock as [lake] encryption, kms_key_id and lock_days ask"
    remedy = "allow it there (object lock of the bucket, the key and its use), or change these settings"


class StoreUnwell(StoreFailure):
    """The store failed by itself, also when it was asked again."""

    what = "the store failed, repeatedly"
    remedy = "run it again; if it fails again, look into the store's own log"


ERROR_NUMBERS: Mapping[int, type[StoreFailure]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), StoreFull),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), AccessRefused),
    **dict.fromkeys((errno.EIO, errno.ESTALE), StoreUnwell),
    **dict.fromkeys(
        (errno.ECONNREFUSED, errno.ECONNRESET, errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH), StoreSilent
    ),
}

CODES: Mapping[str, type[StoreFailure]] = {
    **dict.fromkeys(("QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "507"), StoreFull),
    **dict.fromkeys(("AccessDenied", "AllAccessDisabled", "AccountProblem", "403"), AccessRefused),
    **dict.fromkeys(
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired",
         "AuthorizationHeaderMalformed", "InvalidSecurity", "RequestExpired", "401"),
        CredentialsRefused,
    ),
    "RequestTimeTooSkewed": ClockWrong,
    "NoSuchBucket": BucketMissing,
    **dict.fromkeys(("NotImplemented", "501"), ConditionalPutUnknown),
    **dict.fromkeys(
        ("ObjectLockConfigurationNotFoundError", "InvalidEncryptionAlgorithmError", "InvalidRetentionPeriod"),
        ProtectionRefused,
    ),
    **dict.fromkeys(
        ("InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "500", "502", "503", "504"), StoreUnwell
    ),
}  # fmt: skip
"""Names of errors and bare statuses in the S3 protocol; stores other than Amazon's add a few of their own."""

KEY_SERVICE = "KMS."
CUT_LISTING, RESET = "list response body", errno.errorcode[errno.ECONNRESET]

NO_ANSWER = re.compile(r"timed out|dns error|tcp connect error|client error|error sending request|connection closed")
NO_TRUST = re.compile(r"peer certificate|UnknownIssuer|InvalidContentType|corrupt message|invalid certificate")
"""What Delta and polars say of a request (`Error performing ...`) that was answered by nobody."""


def failure_of_code(code: str, where: str) -> StoreFailure:
    """The failure that a name of an error in the S3 protocol means."""
    kind = ProtectionRefused if code.startswith(KEY_SERVICE) else CODES.get(code, StoreFailure)
    return kind(where, code)


def failure_of(error: BaseException, where: str) -> StoreFailure | None:
    """The store's failure that stands behind an error of the operating system, Delta or polars; None if none does."""
    said = re.sub(r"\x1b\[\d+m|↳|\s+", " ", str(error))
    own = error.errno if isinstance(error, OSError) else None
    where = where or str(getattr(error, "filename", None) or "the store")
    number = own or _number(r"os error (\d+)|Os \{ code: (\d+)", said)
    if number is not None and number in ERROR_NUMBERS:
        return ERROR_NUMBERS[number](where, errno.errorcode[number])
    code = re.search(r"<Code>([\w.]+)</Code>", said)
    if code:
        return failure_of_code(code[1], where) if _is_known(code[1]) else None
    status = _number(r"non-2xx status code ?:? +(\d{3})\b", said)
    if status is not None:
        return CODES[str(status)](where, str(status)) if str(status) in CODES else None
    if "Error performing" not in said:
        return None
    if NO_TRUST.search(said):
        return TlsRefused(where)
    return StoreSilent(where) if NO_ANSWER.search(said) else None


def was_cut(error: BaseException) -> bool:
    """Whether an answer of the store to Delta was cut: by a reset connection, or in the middle of a listing.

    object_store, which repeats every other request by itself, repeats neither; nor a conditional put that was cut.
    """
    failure = failure_of(error, "")
    return CUT_LISTING in str(error) or (isinstance(failure, StoreSilent) and failure.reason == RESET)


def _is_known(code: str) -> bool:
    return code in CODES or code.startswith(KEY_SERVICE)


def _number(pattern: str, said: str) -> int | None:
    found = re.search(pattern, said)
    return int(next(group for group in found.groups() if group)) if found else None


@contextmanager
def store_failures_named(where: str, *errors: type[Exception]) -> Iterator[None]:
    """Within it, what a store did wrong is raised as StoreFailure, without the error that it was told in.

    `errors`: in which others it may be told, besides those of the operating system.
    """
    told_in: tuple[type[Exception], ...] = (OSError, *errors)
    try:
        yield
    except told_in as error:
        named = failure_of(error, where)
        if named is None:
            raise
        raise named from None
