"""A server in front of a real S3 server that breaks one promise of it, over real connections and real signatures.

Requests go on as they came, signature and all. Where the server behind it refuses a conditional put since the key is
taken (412), the proxy answers as a store does that pays no heed to the condition, or that confirms what it lost.
"""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import unquote, urlsplit

from resources.storage_location import aws_session

Lie = Literal["overwrites", "loses commits", "knows no conditions"]


@contextmanager
def lying_proxy(behind: str, lie: Lie) -> Iterator[str]:
    """The address of a proxy in front of the endpoint `behind`.

    `overwrites`: a conditional put of a taken key replaces what is there. `loses commits`: such a put of a Delta log
    entry is confirmed and thrown away, every other one refused as it should be. `knows no conditions`: answers 501.
    """
    server = _Proxy(behind, lie)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behind: str, lie: Lie) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.behind, self.lie = urlsplit(behind).netloc, lie
        self.own_client = aws_session().client("s3", endpoint_url=behind)


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_conditional = self.command == "PUT" and self.headers.get("If-None-Match") == "*"
        if is_conditional and self.server.lie == "knows no conditions":
            said = b"<Error><Code>NotImplemented</Code><Message>no such header here</Message></Error>"
            self._answer(501, [("Content-Type", "application/xml")], said)
            return
        status, headers, content = self._asked(body)
        if is_conditional and status == 412 and self._lies(body):
            status, headers, content = 200, [("ETag", '"d41d8cd98f00b204e9800998ecf8427e"')], b""
        self._answer(status, headers, content)

    def _asked(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.server.behind, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.getheaders(), content

    def _lies(self, body: bytes) -> bool:
        """Whether the writer is told that it won; then what it wrote is there, or nowhere."""
        bucket, _, key = unquote(urlsplit(self.path).path).removeprefix("/").partition("/")
        if self.server.lie == "overwrites":
            self.server.own_client.put_object(Bucket=bucket, Key=key, Body=body)
            return True
        return "/_delta_log/" in key

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("transfer-encoding", "connection", "date", "server") and (
                self.command == "HEAD" or name.lower() != "content-length"
            ):
                self.send_header(name, value)
        if self.command != "HEAD" and status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _forward  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Quiet."""
