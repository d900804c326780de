"""A small HTTP server with the shapes of a Kubernetes API: pages, continue tokens that expire, refusals, faults.

What the real one does beyond that is asked of the real one (tests/resources/test_real_apiserver.py).
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "tests"

REASONS = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 410: "Expired", 429: "TooManyRequests"}


@dataclass
class FakeCluster:
    """What the API has and does. `lists`: path of a list -> (kind of an object, objects).

    `faults`: path -> answers to give before the right one, one a request: a status, or b"..." as a broken body.
    `expiries`: path -> continue tokens that are refused as too old. `drifts`: path -> further pages of a later state.
    """

    lists: dict[str, tuple[str, list[dict[str, Any]]]] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    faults: dict[str, list[int | bytes]] = field(default_factory=dict)
    expiries: dict[str, int] = field(default_factory=dict)
    drifts: dict[str, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    resource_version: int = 1000

    def serve(self, kind: str, path: str, objects: list[dict[str, Any]]) -> None:
        """Have a kind: `serve("Pod", "/api/v1/pods", [...])`."""
        self.lists[path] = (kind, objects)

    def answer(self, path: str, query: dict[str, str], authorization: str) -> tuple[int, bytes]:
        """Status and body for a request."""
        self.requests.append(path)
        if authorization != f"Bearer {TOKEN}":
            return _status(401, "Unauthorized")
        if path in self.forbidden:
            return _status(403, f'{path.rpartition("/")[2]} is forbidden: User "robot" cannot list it')
        if self.faults.get(path):
            fault = self.faults[path].pop(0)
            return (200, fault) if isinstance(fault, bytes) else _status(fault, "not now")
        if path == "/apis":
            return 200, json.dumps(self._groups()).encode()
        if path in self.lists:
            return self._page(path, query)
        resources = [{"name": each.rpartition("/")[2]} for each in self.lists if each.rpartition("/")[0] == path]
        if resources:
            return 200, json.dumps({"kind": "APIResourceList", "resources": resources}).encode()
        return _status(404, "the server could not find the requested resource")

    def _page(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        kind, objects = self.lists[path]
        limit = int(query["limit"])
        at, version = 0, self.resource_version
        if "continue" in query:
            at, version = (int(part) for part in query["continue"].split("-"))
            if self.expiries.get(path, 0) > 0:
                self.expiries[path] -= 1
                self.resource_version += 1
                return _status(410, "The provided continue parameter is too old")
            if self.drifts.get(path, 0) > 0:
                self.drifts[path] -= 1
                version += 1
        metadata: dict[str, Any] = {"resourceVersion": str(version)}
        if at + limit < len(objects):
            metadata |= {"continue": f"{at + limit}-{version}", "remainingItemCount": len(objects) - at - limit}
        group = path.removeprefix("/apis/").removeprefix("/api/").rpartition("/")[0]
        page = {"kind": f"{kind}List", "apiVersion": group, "metadata": metadata, "items": objects[at : at + limit]}
        return 200, json.dumps(page).encode()

    def _groups(self) -> dict[str, Any]:
        served: dict[str, set[str]] = {}
        for path in self.lists:
            if path.startswith("/apis/"):
                _, _, group, version, _ = path.split("/")
                served.setdefault(group, set()).add(version)
        groups = [{"name": group, "versions": [{"version": version} for version in sorted(versions)]}
                  for group, versions in served.items()]  # fmt: skip
        return {"kind": "APIGroupList", "groups": groups}


def _status(code: int, message: str) -> tuple[int, bytes]:
    body = {"kind": "Status", "status": "Failure", "message": message, "reason": REASONS.get(code, ""), "code": code}
    return code, json.dumps(body).encode()


@contextmanager
def served(cluster: FakeCluster) -> Iterator[str]:
    """The address of a server of that cluster on loopback; it is gone afterwards."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(asked.query).items()}
            status, body = cluster.answer(asked.path, query, self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
