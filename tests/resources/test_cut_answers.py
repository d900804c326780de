"""An answer of a store that is cut short is asked for again; one that is always cut is the store's failure."""

from urllib.parse import urlsplit

import pytest

from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.store_failures import StoreSilent
from tests.services.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.services.seaweedfs import S3Server

CONTENT = bytes(range(256)) * 2_000


class CutsReads:
    """Cuts the first answers to a GET, so many."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self, method: str, target: str) -> Fault | None:
        """Cut it, if any are left to be cut."""
        if method != "GET" or not self.left:
            return None
        self.left -= 1
        return Fault.CUT_IN_ANSWER


class CutsRequests:
    """Cuts the connection of every GET before it is read, and counts them."""

    def __init__(self) -> None:
        self.seen = 0

    def __call__(self, method: str, target: str) -> Fault | None:
        """Cut it."""
        if method != "GET":
            return None
        self.seen += 1
        return Fault.CUT_BEFORE


def stored_behind(proxy: FaultProxy, server: S3Server) -> ObjectStore:
    """A store that is reached through the proxy, with one object that was put directly."""
    direct = server.fresh_location()
    store_at(direct).put_new("landing/a", CONTENT)
    return store_at(StorageLocation(direct.root, endpoint_url=proxy.endpoint_url, allow_http=True))


def test_an_object_is_read_whole_though_answers_are_cut(s3_server: S3Server) -> None:
    cuts = CutsReads(2)
    with fault_proxy(urlsplit(s3_server.endpoint_url).port or 0, cuts) as proxy:
        content = stored_behind(proxy, s3_server).get("landing/a")

    assert content == CONTENT
    assert cuts.left == 0


def test_an_object_whose_every_answer_is_cut_is_not_half_an_object(
    s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resources.s3_store.ATTEMPTS", 2)
    with fault_proxy(urlsplit(s3_server.endpoint_url).port or 0, CutsReads(100)) as proxy:
        store = stored_behind(proxy, s3_server)

        with pytest.raises(StoreSilent, match="the store does not answer"):
            store.get("landing/a")


def test_a_store_that_never_answers_is_asked_as_often_as_the_manual_says(
    s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resources.s3_client.ATTEMPTS", 3)
    monkeypatch.setattr("resources.s3_store.ATTEMPTS", 3)
    cuts = CutsRequests()
    with fault_proxy(urlsplit(s3_server.endpoint_url).port or 0, cuts) as proxy:
        store = stored_behind(proxy, s3_server)

        with pytest.raises(StoreSilent, match="the store does not answer"):
            store.get("landing/a")

    assert cuts.seen == 3
