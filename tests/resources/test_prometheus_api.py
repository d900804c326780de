"""Asking a Prometheus: what is asked, what is tried again, and what is refused in one line without any secret."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from chargeback.billing_period import Interval
from resources.prometheus_api import PrometheusAccess, PrometheusApi, PrometheusRefused
from resources.setting_kinds import SettingsRefused
from tests.tables import instant

EMPTY = b'{"status":"success","data":{"resultType":"matrix","result":[]}}'
TWO = (
    b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"UUID":"GPU-1","metric":"x"},'
    b'"values":[[1,"0"]]},{"metric":{"UUID":"\\"metric\\":{"},"values":[[1,"0"]]}]}}'
)
WORD = "lovelace"
HOUR = Interval(instant("2026-03-31T00:00Z"), instant("2026-03-31T01:00Z"))


@dataclass
class Server:
    """Answers to give, one a request, the last one for good; and what was asked."""

    url: str
    answers: list[tuple[int, bytes, str]] = field(default_factory=list)
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)

    def will_answer(self, status: int, body: bytes = EMPTY, kind: str = "application/json") -> "Server":
        """Add an answer."""
        self.answers.append((status, body, kind))
        return self

    def api(self, **access: Path) -> PrometheusApi:
        """The API that does not wait long between attempts."""
        return PrometheusAccess(self.url, **access).connected(first_wait_seconds=0.001)

    def refusal(self) -> str:
        """The one line with which an hour is refused."""
        with pytest.raises(PrometheusRefused) as refused:
            self.api().samples(["A"], selector="", interval=HOUR)
        assert "\n" not in str(refused.value)
        return str(refused.value)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Note what is asked and give the next answer."""
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found.asked.append(parse_qs(body, keep_blank_values=True))
            found.paths.append(self.path)
            found.authorizations.append(self.headers.get("Authorization", ""))
            status, content, kind = found.answers.pop(0) if len(found.answers) > 1 else found.answers[0]
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Location", "http://login.invalid/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *said: object) -> None:
            """Say nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Server(f"http://127.0.0.1:{listening.server_port}")
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield found
    listening.shutdown()
    listening.server_close()


def test_raw_samples_are_asked_for_by_an_instant_query_that_ends_just_before_the_interval_does(server: Server) -> None:
    answer = server.will_answer(200, TWO).api().samples(["A", "a"], selector='{job="dcgm"}', interval=HOUR)

    assert server.paths == ["/api/v1/query"]
    (asked,) = server.asked
    assert asked["query"] == ['{__name__=~"A|a",job="dcgm"}[3600s]']
    assert float(asked["time"][0]) == HOUR.end.timestamp() - 0.001
    assert (answer.content, answer.series) == (TWO, 2)


@pytest.mark.parametrize("selector", ["", "{}", " { } "])
def test_without_a_selector_every_series_of_the_metric_is_asked_for(server: Server, selector: str) -> None:
    answer = server.will_answer(200).api().samples(["A"], selector=selector, interval=HOUR)

    assert server.asked[0]["query"] == ['{__name__=~"A"}[3600s]']
    assert answer.series == 0


def test_what_may_pass_is_tried_again(server: Server) -> None:
    server.will_answer(503, b"overloaded", "text/plain").will_answer(429, b"").will_answer(200, TWO)

    assert server.api().samples(["A"], selector="", interval=HOUR).series == 2
    assert len(server.asked) == 3


def test_a_server_that_stays_away_is_given_up_after_some_attempts(server: Server) -> None:
    server.will_answer(502, b"<html>bad gateway</html>", "text/html")

    assert server.refusal() == f"{server.url} did not answer 6 times: status 502, Bad Gateway"
    assert len(server.asked) == 6


def test_nobody_there_is_said_so() -> None:
    with pytest.raises(PrometheusRefused, match=r"http://127.0.0.1:1 did not answer 6 times: ConnectionError"):
        PrometheusAccess("http://127.0.0.1:1").connected(first_wait_seconds=0.001).samples(
            ["A"], selector="", interval=HOUR
        )


@pytest.mark.parametrize(
    "status, body, kind, told",
    [
        (400, b'{"status":"error","errorType":"bad_data","error":"parse error:\\n unexpected }"}', "application/json",
         'refused {__name__=~"A"}[3600s]: parse error: unexpected }'),
        (422, b'{"status":"error","error":"query would load too many samples"}', "application/json",
         "query would load too many samples; ask for less at once with --hours"),
        (401, b"", "text/plain", "does not accept the credentials (401)"),
        (403, b"", "text/plain", "does not accept the credentials (403)"),
        (302, b"", "text/html", "refused"),
        (200, b"<html>log in</html>", "text/html; charset=utf-8", "Prometheus: /api/v1/query answers with text/html"),
    ],
)  # fmt: skip
def test_what_will_not_pass_is_refused_at_once(server: Server, status: int, body: bytes, kind: str, told: str) -> None:
    server.will_answer(status, body, kind)

    assert told in server.refusal()
    assert len(server.asked) == 1


def test_a_token_is_read_for_each_request_and_told_to_nobody_else(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first\n")
    api = server.will_answer(200).will_answer(401).api(token_file=file)

    api.samples(["A"], selector="", interval=HOUR)
    file.write_text("second\n")
    with pytest.raises(PrometheusRefused) as refused:
        api.samples(["A"], selector="", interval=HOUR)

    assert server.authorizations == ["Bearer first", "Bearer second"]
    assert "second" not in str(refused.value)


@pytest.mark.parametrize("url", ["prometheus:9090", "ftp://prometheus", "", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsRefused, match=r"--prometheus .* is no address; write it as http://prometheus:9090"):
        PrometheusAccess(url).connected()


@pytest.mark.parametrize("option", ["token_file", "ca_file"])
def test_a_file_that_is_not_there_is_refused(option: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsRefused, match=f"--{option.replace('_', '-')}: no such file"):
        PrometheusAccess("http://prometheus:9090", **{option: tmp_path / "absent"}).connected()


def test_credentials_in_an_address_are_used_and_not_told(server: Server) -> None:
    server.will_answer(401)
    user = "ada"
    address = server.url.replace("http://", f"http://{user}:{WORD}@")
    api = PrometheusAccess(address).connected(first_wait_seconds=0.001)

    with pytest.raises(PrometheusRefused) as refused:
        api.samples(["A"], selector="", interval=HOUR)

    assert server.authorizations[0].startswith("Basic ")
    assert WORD not in str(refused.value)
    assert api.address == server.url
