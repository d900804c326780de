"""What a store does wrong is one sentence: what, where and what to do, without a credential; and nothing is lost."""

import pickle
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import botocore.auth
import dagster as dg
import pytest

from chargeback.contracts.holds import HOLDS
from resources import s3_client, s3_store
from resources.lake import Lake
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.store_failures import (
    AccessRefused,
    BucketMissing,
    ClockWrong,
    ConditionalPutUnknown,
    CredentialsRefused,
    StoreFailure,
    StoreFull,
    StoreSilent,
    StoreUnwell,
    TlsRefused,
    failure_of,
)
from tests.resources.lakes import day, holds, made_from, read
from tests.services.guarded_seaweedfs import READER_KEY, READER_PASS, GuardedServer
from tests.services.seaweedfs import S3Server

CANARIES = ("canarykeyid", "canarysecret", "canarytoken")
Credentials = dict[str, str | None]

OPERATIONS: dict[str, Callable[[StorageLocation], object]] = {
    "get": lambda location: store_at(location).get("landing/a"),
    "put": lambda location: store_at(location).put("cache", b"1"),
    "put_new": lambda location: store_at(location).put_new("landing/a", b"1"),
    "exists": lambda location: store_at(location).exists("landing/a"),
    "list": lambda location: store_at(location).list("landing/"),
    "scan": lambda location: Lake(location).scan(HOLDS, [day()]),
    "replace": lambda location: Lake(location).replace(HOLDS, day(), holds(day()), made_from("a")),
}
WRITES = ("put", "put_new", "replace")


@contextmanager
def credentials(key: str | None, secret: str | None, token: str | None = None) -> Iterator[None]:
    """Within it, these are the process's; None is none."""
    with pytest.MonkeyPatch.context() as environment:
        given = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}
        for name, value in given.items():
            environment.setenv(name, value) if value else environment.delenv(name, raising=False)
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        aws_session.cache_clear()
        yield
    aws_session.cache_clear()


@contextmanager
def hasty(attempts: int = 1, seconds: float = 0.3) -> Iterator[None]:
    """Within it, botocore asks a store less patiently."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(s3_client, "ATTEMPTS", attempts)
        patch.setattr(s3_store, "ATTEMPTS", attempts)
        patch.setattr(s3_client, "SECONDS_TO_ANSWER", seconds)
        yield


def failure_when(operation: str, location: StorageLocation) -> StoreFailure:
    with pytest.raises(StoreFailure) as refused:
        OPERATIONS[operation](location)
    told = "".join(traceback.format_exception(refused.value))
    assert [canary for canary in CANARIES if canary in told] == []
    assert "\n" not in str(refused.value)
    return refused.value


WRONG_SECRET = ("testkey", "canarysecret", None)


@pytest.mark.parametrize(
    ("given", "operation"),
    [
        *((WRONG_SECRET, operation) for operation in OPERATIONS),
        *((("canarykeyid", "canarysecret", None), operation) for operation in ("exists", "scan")),
        *((("testkey", "testsecret123", "canarytoken"), operation) for operation in ("exists", "scan")),
        *(((None, None, None), operation) for operation in ("exists", "scan")),
    ],
)
def test_refused_credentials_are_told_without_them_and_with_the_place(
    s3_server: S3Server, given: tuple[str | None, str | None, str | None], operation: str
) -> None:
    location = s3_server.fresh_location()

    with credentials(*given):
        failure = failure_when(operation, location)

    assert isinstance(failure, CredentialsRefused)
    assert str(failure).startswith(f"{location.root}")
    assert f" at {s3_server.endpoint_url}: the credentials are missing, wrong or expired" in str(failure)
    assert "renew them" in str(failure)


def test_a_lake_goes_on_where_it_was_when_the_credentials_are_renewed(s3_server: S3Server) -> None:
    lake = Lake(s3_server.fresh_location())
    lake.replace(HOLDS, day(), holds(day()), made_from("a"))

    with credentials("testkey", "canarysecret"), pytest.raises(CredentialsRefused):
        lake.replace(HOLDS, day(), holds(day(), gpus=4), made_from("b"))

    assert read(lake, day()).equals(holds(day()))
    assert lake.replace(HOLDS, day(), holds(day(), gpus=4), made_from("b")).version == 2


@pytest.mark.parametrize("operation", WRITES)
def test_who_may_only_read_is_refused_each_write_and_reads_on(guarded_server: GuardedServer, operation: str) -> None:
    location = guarded_server.location()
    Lake(location).replace(HOLDS, day(), holds(day()), made_from("a"))
    writes = {**OPERATIONS, "replace": lambda place: Lake(place).replace(HOLDS, day(), holds(day(), gpus=4),
                                                                         made_from("b"))}  # fmt: skip

    with credentials(READER_KEY, READER_PASS):
        with pytest.raises(AccessRefused, match=r"access is refused \(AccessDenied\); make the place writable"):
            writes[operation](location)
        assert read(Lake(location), day()).equals(holds(day()))

    assert read(Lake(location), day()).equals(holds(day()))


@pytest.mark.parametrize("operation", ["get", "list", "scan", "replace"])
def test_a_bucket_that_does_not_exist_is_named(s3_server: S3Server, operation: str) -> None:
    location = StorageLocation("s3://nobody-made-it/x", endpoint_url=s3_server.endpoint_url, allow_http=True)

    failure = failure_when(operation, location)

    assert isinstance(failure, BucketMissing)
    assert "s3://nobody-made-it/x" in str(failure)
    assert "make the bucket, or correct [lake] root" in str(failure)


@pytest.mark.parametrize("operation", ["put_new", "scan"])
def test_an_endpoint_at_which_nobody_listens_is_named(s3_server: S3Server, operation: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
    location = StorageLocation("s3://lake/x", endpoint_url=endpoint, allow_http=True)

    with hasty():
        failure = failure_when(operation, location)

    assert isinstance(failure, StoreSilent)
    assert f"at {endpoint}: the store does not answer" in str(failure)


@pytest.mark.parametrize("operation", ["get", "put_new"])
def test_an_endpoint_that_takes_requests_and_never_answers_is_given_up(s3_server: S3Server, operation: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent, hasty():
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"

        failure = failure_when(operation, StorageLocation("s3://lake/x", endpoint_url=endpoint, allow_http=True))

    assert isinstance(failure, StoreSilent)
    assert endpoint in str(failure)


@pytest.mark.parametrize("operation", ["get", "scan"])
def test_a_connection_that_cannot_be_trusted_is_told(s3_server: S3Server, operation: str) -> None:
    location = StorageLocation("s3://lake/x", endpoint_url=s3_server.endpoint_url.replace("http:", "https:"))

    with hasty():
        failure = failure_when(operation, location)

    assert isinstance(failure, TlsRefused)
    assert "no trusted TLS connection" in str(failure)


@pytest.mark.parametrize("operation", ["put_new", "exists"])
def test_a_clock_that_is_set_back_is_told_as_that_and_not_as_wrong_credentials(
    s3_server: S3Server, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    true_time: Callable[..., Any] = vars(botocore.auth)["get_current_datetime"]
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *given: true_time(*given) - timedelta(hours=2))

    failure = failure_when(operation, s3_server.fresh_location())

    assert isinstance(failure, ClockWrong)
    assert "set the clock (NTP)" in str(failure)


class KnowsNoConditions(BaseHTTPRequestHandler):
    """A store that answers as Swift does when asked to put an object only if it is not there."""

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        conditional = self.headers.get("If-None-Match") is not None
        body = b"<Error><Code>NotImplemented</Code><Message>If-None-Match</Message></Error>" if conditional else b""
        self.send_response(501 if conditional else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def test_a_store_without_conditional_puts_is_told_and_nothing_is_stored(s3_server: S3Server) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), KnowsNoConditions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    location = StorageLocation("s3://lake/x", endpoint_url=f"http://127.0.0.1:{server.server_port}", allow_http=True)

    with closing(server.socket), hasty():
        failure = failure_when("put_new", location)
        server.shutdown()

    assert isinstance(failure, ConditionalPutUnknown)
    assert "If-None-Match" in str(failure)


def test_a_run_of_dagster_fails_with_that_sentence_and_shows_no_credential(s3_server: S3Server) -> None:
    location = s3_server.fresh_location()

    @dg.asset
    def reads_the_lake() -> None:
        Lake(location).scan(HOLDS, [day()])

    with credentials("canarykeyid", "canarysecret", "canarytoken"), dg.DagsterInstance.ephemeral() as instance:
        run = dg.materialize([reads_the_lake], instance=instance, raise_on_error=False)
        told = "".join(record.event_log_entry.to_json() for record in instance.get_records_for_run(run.run_id).records)

    failed = run.get_step_failure_events()[0].step_failure_data.error
    assert failed is not None
    assert failed.cause is not None
    assert f"at {s3_server.endpoint_url}: the credentials are missing, wrong or expired" in failed.cause.message
    assert [canary for canary in CANARIES if canary in told] == []


REFUSED = "Error performing GET http://h/b - Server returned non-2xx status code"
UNHEARD = "Error performing GET http://h/b in 6.1s, after 2 retries - HTTP error\n \x1b[31m↳\x1b[0m "
SEEN = {
    "disk": ("Failed to parse parquet: Unable to copy data to file: No space left on device (os error 28)", StoreFull),
    "folder": ("Could not create local directory: /x\nError: Os { code: 30, kind: ReadOnlyFilesystem }", AccessRefused),
    "clock": (f"{REFUSED}\n \x1b[31m↳\x1b[0m 403\n<Error><Code>RequestTimeTooSkewed</Code></Error>", ClockWrong),
    "status": (f"{REFUSED}: 503 Service Unavailable", StoreUnwell),
    "status on a line": (f"{REFUSED}\n           \x1b[31m↳\x1b[0m 403 Forbidden", AccessRefused),
    "name": (f"{UNHEARD}error sending request\n \x1b[31m↳\x1b[0m client error (Connect)\n dns error", StoreSilent),
    "timeout": (f"{UNHEARD}error sending request\n operation timed out", StoreSilent),
    "certificate": (f"{UNHEARD}client error (Connect)\n invalid peer certificate: UnknownIssuer", TlsRefused),
}


@pytest.mark.parametrize("seen", SEEN)
def test_what_delta_says_is_understood(seen: str) -> None:
    said, kind = SEEN[seen]

    assert type(failure_of(OSError(said), "here")) is kind


@pytest.mark.parametrize(
    "said",
    ["", "Schema error: no such column", "a path of lossless-ssl-timed out", "<Code>NoSuchKey</Code>", "os error 2"],
)
def test_what_is_no_failure_of_the_store_stays_what_it_is(said: str) -> None:
    assert failure_of(OSError(said), "here") is None


def test_a_failure_can_be_sent_to_another_process_and_says_the_same() -> None:
    failure = StoreFull("s3://lake/x at http://h", "QuotaExceeded")

    sent = pickle.loads(pickle.dumps(failure))

    assert (type(sent), str(sent)) == (StoreFull, str(failure))
