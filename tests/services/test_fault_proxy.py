"""The proxy of the storm: it changes nothing that passes, and each of its faults is what its name says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from resources.object_store import ObjectMissing
from resources.s3_store import S3Store
from resources.storage_location import StorageLocation
from tests.services.fault_proxy import Fault, FaultProxy, SeededFaults, fault_proxy
from tests.services.seaweedfs import BUCKET, S3Server, s3_server

__all__ = ["s3_server"]  # the fixture

NEVER_DONE = (Fault.REFUSED_500, Fault.REFUSED_503, Fault.CUT_BEFORE, Fault.CUT_IN_REQUEST)
DONE = (Fault.DONE_AND_CUT, Fault.DONE_AND_500, Fault.CUT_IN_ANSWER)
TEN_MEGABYTES = bytes(range(256)) * 40_960


@dataclass
class Store:
    """A store behind a proxy, the same store without it, and a client of the proxy that tries once."""

    proxy: FaultProxy
    through: S3Store
    direct: S3Store
    once: Callable[[str, str, bytes], object]
    waiting: list[Fault]


@pytest.fixture
def store(s3_server: S3Server) -> Iterator[Store]:
    """No fault happens but those that a test puts into `waiting`, one a request."""
    waiting: list[Fault] = []
    location = s3_server.fresh_location()
    port = urlsplit(s3_server.endpoint_url).port or 0
    with fault_proxy(port, lambda method, target: waiting.pop(0) if waiting else None) as proxy:
        through = StorageLocation(location.root, endpoint_url=proxy.endpoint_url, allow_http=True)
        client = boto3.client(
            "s3", endpoint_url=proxy.endpoint_url, config=Config(retries={"total_max_attempts": 1}, read_timeout=20)
        )

        def once(method: str, key: str, body: bytes = b"") -> object:
            asked = {"Bucket": BUCKET, "Key": f"{location.prefix}/{key}"}
            return (
                client.put_object(**asked, Body=body) if method == "put" else client.get_object(**asked)["Body"].read()
            )

        yield Store(proxy, S3Store(through), S3Store(location), once, waiting)


@pytest.mark.parametrize("content", [b"", b"one", TEN_MEGABYTES], ids=["empty", "small", "ten megabytes"])
def test_what_passes_is_unchanged_in_both_directions(store: Store, content: bytes) -> None:
    store.through.put("there", content)

    assert store.direct.get("there") == content
    assert store.through.get("there") == content
    assert store.proxy.requests == 2


def test_requests_that_have_no_body_and_refusals_of_the_server_pass_too(store: Store) -> None:
    store.through.put_new("a", b"1")

    assert store.through.put_new("a", b"1") is False
    assert store.through.exists("a")
    assert not store.through.exists("b")
    assert [each.key for each in store.through.list("")] == ["a"]
    with pytest.raises(ObjectMissing):
        store.through.get("b")
    assert not store.proxy.faults


@pytest.mark.parametrize("fault", NEVER_DONE)
def test_what_failed_before_the_store_had_it_was_not_done(store: Store, fault: Fault) -> None:
    store.waiting.append(fault)

    with pytest.raises((ClientError, BotoCoreError)):
        store.once("put", "x", TEN_MEGABYTES)

    assert not store.direct.exists("x")
    assert store.proxy.faults == {fault: 1}


@pytest.mark.parametrize("fault", DONE)
def test_what_the_store_did_before_the_answer_was_lost_is_really_done(store: Store, fault: Fault) -> None:
    store.waiting.append(fault)

    with pytest.raises((ClientError, BotoCoreError)):
        store.once("put", "x", TEN_MEGABYTES)

    assert store.direct.get("x") == TEN_MEGABYTES
    assert store.proxy.faults == {fault: 1}


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.SLOW])
def test_a_read_that_fails_fails_loudly_and_never_gives_half_of_the_bytes(store: Store, fault: Fault) -> None:
    store.direct.put("x", TEN_MEGABYTES)
    store.waiting.append(fault)

    with pytest.raises((ClientError, BotoCoreError)):
        store.once("get", "x", b"")


def test_a_slow_answer_is_the_same_answer(store: Store) -> None:
    store.direct.put("x", b"slow")
    store.waiting.append(Fault.SLOW)

    assert store.through.get("x") == b"slow"


@pytest.mark.parametrize("fault", list(Fault))
def test_an_object_that_is_put_once_is_there_once_whatever_befell_the_first_try(store: Store, fault: Fault) -> None:
    store.waiting.append(fault)

    store.through.put_new("x", b"content")

    assert store.direct.get("x") == b"content"


def test_a_seed_draws_the_same_faults_again_at_the_rate_that_was_asked_for() -> None:
    one, again, other = SeededFaults(7, 0.05), SeededFaults(7, 0.05), SeededFaults(8, 0.05)

    drawn = [one("GET", "/") for _ in range(10_000)]

    assert drawn == [again("GET", "/") for _ in range(10_000)]
    assert drawn != [other("GET", "/") for _ in range(10_000)]
    assert 400 < sum(fault is not None for fault in drawn) < 600
    assert set(drawn) == {None, *Fault}
