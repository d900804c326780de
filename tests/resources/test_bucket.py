"""What a bucket says of itself: who may not ask, or asks a store without versions, does not know; a failure is told."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from resources.bucket import clear_probe, versioning_of
from resources.storage_location import StorageLocation, aws_session
from resources.store_failures import CredentialsRefused, StoreFailure, StoreSilent, StoreUnwell
from tests.resources.test_store_failures import credentials, hasty
from tests.services.seaweedfs import S3Server


@contextmanager
def store_that_says(status: int, code: str) -> Iterator[StorageLocation]:
    """A place on a store that answers every request with one error."""

    class Refuses(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<Error><Code>{code}</Code><Message>canary</Message></Error>".encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with closing(server.socket):
        yield StorageLocation("s3://lake/x", endpoint_url=f"http://127.0.0.1:{server.server_port}", allow_http=True)
        server.shutdown()


def test_a_bucket_says_whether_it_keeps_versions(s3_server: S3Server) -> None:
    assert versioning_of(s3_server.fresh_location()) == "off"
    assert versioning_of(StorageLocation("/lake")) == "no bucket"


@pytest.mark.parametrize(
    "status, code", [(403, "AccessDenied"), (501, "NotImplemented"), (405, "MethodNotAllowed"), (404, "NoSuchKey")]
)
def test_a_store_that_does_not_say_is_not_known(s3_server: S3Server, status: int, code: str) -> None:
    with store_that_says(status, code) as location, hasty():
        assert versioning_of(location) == "unknown"


@pytest.mark.parametrize(
    "status, code, failure",
    [
        (503, "SlowDown", StoreUnwell),
        (500, "InternalError", StoreUnwell),
        (400, "ExpiredToken", CredentialsRefused),
    ],
)
def test_a_question_that_failed_is_no_answer_but_one_sentence(
    s3_server: S3Server, status: int, code: str, failure: type[StoreFailure]
) -> None:
    with store_that_says(status, code) as location, hasty():
        with pytest.raises(failure, match=rf"^s3://lake/x at http://127.*\({code}\)") as told:
            versioning_of(location)
        clear_probe(location, "probe/1")

    assert "canary" not in str(told.value)


def test_a_store_that_is_away_is_one_sentence_and_hides_no_other_outcome_of_a_probe(s3_server: S3Server) -> None:
    with store_that_says(503, "SlowDown") as gone:
        pass

    with hasty():
        with pytest.raises(StoreSilent, match=f"^s3://lake/x at {gone.endpoint_url}: the store does not answer"):
            versioning_of(gone)
        clear_probe(gone, "probe/1")


def test_credentials_that_are_not_there_are_one_sentence(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    location = s3_server.fresh_location()
    with credentials(None, None):
        monkeypatch.setenv("AWS_PROFILE", "nobody-made-it")
        aws_session.cache_clear()

        with pytest.raises(CredentialsRefused, match=r"missing, wrong or expired \(ProfileNotFound\)"):
            versioning_of(location)
    monkeypatch.delenv("AWS_PROFILE")
    aws_session.cache_clear()
