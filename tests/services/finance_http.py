"""Contract servers on real sockets: NetSuite's and ERPNext's REST shapes, with what such servers do wrong.

They keep documents as those systems do: NetSuite once per external id, ERPNext as often as it is asked to. Source of
the shapes: the field notes on finance systems. What they do beyond that is asked of Tryton (test_posting_tryton.py).
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

CUT_BEFORE, CUT_AFTER, SILENT, TWICE = "cut before", "cut after", "silent", "twice"
BUSY, BROKEN_BEFORE, BROKEN_AFTER, GIBBERISH = "429", "500 before", "500 after", "gibberish"
FAULTS = (CUT_BEFORE, CUT_AFTER, SILENT, TWICE, BUSY, BROKEN_BEFORE, BROKEN_AFTER, GIBBERISH)
KNOWN = "only-in-tests"
"""What a request that may come in says of itself."""


@dataclass
class Books:
    """What a finance system holds. `faults`: what goes wrong with the next writing requests, one each.

    `shut`: months that are closed over there. `writes`: how many writing requests reached it.
    """

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    shut: set[str] = field(default_factory=set)
    writes: int = 0

    def add(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Keep an entry under a number of its own."""
        entry["id"] = str(len(self.entries) + 1)
        self.entries[entry["id"]] = entry
        return entry


Told = tuple[int, Any, dict[str, str]]
"""Status, body and headers of an answer."""


def netsuite_answer(books: Books, method: str, path: str, query: dict[str, str], body: Any) -> Told:
    """Status, body and headers of NetSuite."""
    if path.endswith("/suiteql"):
        return 200, _suiteql(books, body["q"], int(query["limit"]), int(query["offset"])), {}
    place = unquote(path.rpartition("/")[2])
    if method == "PATCH":
        books.entries[place] |= body
        return 204, None, {}
    external = place.removeprefix("eid:")
    found = next((each for each in books.entries.values() if each["externalId"] == external), None)
    if method == "GET":
        return (200, found, {}) if found else (404, {"title": "not found"}, {})
    if body["tranDate"][:7] in books.shut:
        return 400, {"o:errorDetails": [{"detail": "The accounting period is closed", "o:errorCode": "USER_ERROR"}]}, {}
    if found:
        found |= body
    else:
        found = books.add({**body, "externalId": external})
    return 204, None, {"Location": f"http://here{path.rpartition('/')[0]}/{found['id']}"}


def _suiteql(books: Books, query: str, limit: int, offset: int) -> dict[str, Any]:
    prefix = re.search(r"LIKE '(.*):%'", query)
    assert prefix
    rows = [
        {"externalid": each["externalId"], "id": each["id"], "acctnumber": line["account"]["externalId"],
         "debit": line.get("debit"), "credit": line.get("credit")}
        for each in books.entries.values()
        if each["externalId"].startswith(prefix[1].replace("''", "'") + ":")
        for line in each["line"]["items"]
    ]  # fmt: skip
    return {"items": rows[offset : offset + limit], "hasMore": len(rows) > offset + limit}


def erpnext_answer(books: Books, method: str, path: str, query: dict[str, str], body: Any) -> Told:
    """Status, body and headers of ERPNext."""
    name = unquote(path.removeprefix("/api/resource/Journal%20Entry").lstrip("/"))
    if method == "GET" and name:
        return 200, {"data": books.entries[name]}, {}
    if method == "GET":
        found = [each for each in books.entries.values() if _passes(each, json.loads(query["filters"]))]
        start = int(query["limit_start"])
        return 200, {"data": found[start : start + int(query["limit_page_length"])]}, {}
    if method == "PUT":
        books.entries[name] |= body
        return 200, {"data": books.entries[name]}, {}
    if body["posting_date"][:7] in books.shut:
        return 417, {"exc_type": "ClosedAccountingPeriod", "exception": "accounts are closed for this period"}, {}
    debit, credit = (
        sum(Decimal(row.get(f"{side}_in_account_currency", 0)) for row in body["accounts"])
        for side in ("debit", "credit")
    )
    if debit != credit:
        return 417, {"exc_type": "ValidationError", "exception": "Total Debit must be equal to Total Credit"}, {}
    entry = books.add({**body, "docstatus": 0})
    entry["name"] = entry["id"]
    return 200, {"data": entry}, {}


def _passes(entry: dict[str, Any], filters: list[list[Any]]) -> bool:
    for name, operator, value in filters:
        if operator == "=" and entry[name] != value:
            return False
        if operator == "<" and not entry[name] < value:
            return False
        if operator == "like":
            plain = re.sub(r"\\(.)", r"\1", value.removesuffix("%"))
            if not entry[name].startswith(plain):
                return False
    return True


ANSWERS = {"netsuite": netsuite_answer, "erpnext": erpnext_answer}


class Handler(BaseHTTPRequestHandler):
    """One request: what goes wrong with it, and else the answer of the shape that is served."""

    protocol_version = "HTTP/1.1"
    shape: str
    books: Books
    stopped: threading.Event

    def handle_any(self) -> None:
        """Answer, or do what the books say goes wrong."""
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        parts = urlsplit(self.path)
        fault = self.fault_of_this(parts.path)
        if fault == CUT_BEFORE:
            self.close_connection = True
            return
        if fault in (BUSY, BROKEN_BEFORE):
            self.answer(int(fault[:3]), {"title": "not now"}, {"Retry-After": "0"})
            return
        if KNOWN not in self.headers.get("Authorization", ""):
            self.answer(401, {"title": "who are you"}, {})
            return
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        status, told, headers = ANSWERS[self.shape](self.books, self.command, parts.path, query, body)
        if fault in (CUT_AFTER, SILENT):
            self.stopped.wait(3 if fault == SILENT else 0)
            self.close_connection = True
            return
        if fault == BROKEN_AFTER:
            status, told, headers = 500, {"title": "something broke"}, {}
        self.answer(status, b"<html>" if fault == GIBBERISH else told, headers)
        if fault == TWICE:
            self.answer(status, told, headers)

    def fault_of_this(self, path: str) -> str:
        """What goes wrong with this request; only writing ones have their turn."""
        if self.command == "GET" or path.endswith("/suiteql"):
            return ""
        self.books.writes += 1
        return self.books.faults.pop(0) if self.books.faults else ""

    def answer(self, status: int, told: Any, headers: dict[str, str]) -> None:
        """Send an answer: bytes as they are, else JSON."""
        content = told if isinstance(told, bytes) else b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_PATCH = handle_any  # noqa: N815 - as the library calls them

    def log_message(self, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def finance_server(shape: str, books: Books) -> Iterator[str]:
    """The address of a server of that shape with those books."""
    stopped = threading.Event()
    handler = type("Served", (Handler,), {"shape": shape, "books": books, "stopped": stopped})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
