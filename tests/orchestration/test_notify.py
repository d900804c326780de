"""Notices go out once, over a real socket; what could not be said is said next time; no address is ever printed."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from chargeback.signatures.keyring import KeyringFile
from chargeback.signatures.objections import objection_of
from orchestration.notify import notices_of
from resources.notices import Notice, tell
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.chargeback.signatures.people import KEYRING, OWNER, ROOT, signed_by
from tests.estates import EXTRACTED_AT, LATER, MONTH, Estate

ONE, TWO = Notice("GPU chargeback 2026-10: certified is late", "x; finance acts"), Notice("another", "thing")


class Hook:
    """A webhook: what it was told, and the status with which it answers."""

    def __init__(self) -> None:
        self.told: list[dict[str, str]] = []
        self.status = 200
        self.address = ""


@pytest.fixture
def hook() -> Iterator[Hook]:
    one = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if one.status == 200:
                one.told.append(body)
            self.send_response(one.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    one.address = f"json://127.0.0.1:{server.server_address[1]}/hook-only-in-tests"
    yield one
    server.shutdown()
    server.server_close()


def test_a_notice_is_sent_once(hook: Hook, tmp_path: Path) -> None:
    store = store_at(StorageLocation(str(tmp_path)))

    first = tell([ONE, TWO], addresses=[hook.address], store=store)
    second = tell([ONE, TWO], addresses=[hook.address], store=store)

    assert (first.sent, second.sent, second.before) == ((ONE, TWO), (), (ONE, TWO))
    assert [(each["title"], each["message"]) for each in hook.told] == [(ONE.title, ONE.body), (TWO.title, TWO.body)]


def test_what_could_not_be_said_is_said_next_time(hook: Hook, tmp_path: Path) -> None:
    store = store_at(StorageLocation(str(tmp_path)))
    hook.status = 500
    assert tell([ONE], addresses=[hook.address], store=store).failed == (ONE,)

    hook.status = 200
    assert tell([ONE], addresses=[hook.address], store=store).sent == (ONE,)


def test_an_address_of_no_kind_is_told_without_printing_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="notice address 1 is of no known kind") as refused:
        tell([ONE], addresses=["nonsense-with-a-word-in-it"], store=store_at(StorageLocation(str(tmp_path))))
    assert "word" not in str(refused.value)


def test_an_open_objection_is_worth_telling(estate: Estate) -> None:
    estate.trust(ROOT, KeyringFile(KEYRING).content())
    objected = signed_by(OWNER, objection_of(MONTH, "Vision", amount="1", prepared_by="T. Lead"), at=EXTRACTED_AT)
    estate.land("approvals", objected.content(), extension="json")

    told = notices_of(estate.workspace, LATER)

    assert [each.title for each in told] == [f"GPU chargeback {MONTH}: an objection"]
    assert told[0].body.startswith("Vision: reviewed (Cos Tan (cost-centre-owner")


def test_the_command_says_what_would_be_said_and_where_addresses_are_missing(billed_estate: Estate) -> None:
    dry = billed_estate.command("notify", "--dry-run")
    assert (dry.returncode, "a dry run: nobody was told" in dry.stdout) == (0, True), dry.stderr
    refused = billed_estate.command("notify")
    assert (refused.returncode, "set CHARGEBACK_NOTICE_ADDRESSES" in refused.stderr) == (2, True)
