"""Arrivals by notification: at least once, in any order, malformed now and then, and each asks once."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote_plus, urlsplit

import pytest

from orchestration.arrivals import LATENCY_SECONDS, OBJECTS
from resources.arrival_queue import ArrivalQueue, QueueFailed
from resources.object_store import ObjectStore
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import Daemon, PlainRules, landing_key, settings_of
from tests.services.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.services.sqs import REGION, Queue, SqsServer, any_credentials, sqs_server

__all__ = ["any_credentials", "sqs_server"]  # the fixtures

FIFTH, SIXTH = "slurm-a|2026-10-05", "slurm-a|2026-10-06"


@pytest.fixture
def queue(sqs_server: SqsServer, any_credentials: None) -> Queue:
    """An empty queue."""
    return sqs_server.fresh_queue()


@pytest.fixture
def location(sqs_server: SqsServer, queue: Queue) -> StorageLocation:
    """An empty lake on S3 whose bucket notifies nobody: the tests write the messages."""
    return sqs_server.notifying_location(sqs_server.fresh_queue())


@pytest.fixture
def store(location: StorageLocation) -> ObjectStore:
    """The store of the lake."""
    return store_at(location)


@pytest.fixture
def daemon(location: StorageLocation, queue: Queue) -> Daemon:
    """Ticks on the queue."""
    return Daemon(settings_of(location, queue.events), PlainRules())


def land(store: ObjectStore, text: str, **where: str) -> str:
    """An object that names the days that it touches; its key."""
    key = landing_key(text, **where)
    store.put_new(key, text.encode())
    return key


def told(location: StorageLocation, *keys: str, etag: str = "e1", at: str = "2026-10-20T11:59:00Z") -> dict[str, Any]:
    """A notification of these objects."""
    return {
        "Records": [
            {"eventName": "ObjectCreated:Put", "eventTime": at, "s3": {
                "bucket": {"name": location.bucket},
                "object": {"key": quote_plus(f"{location.prefix}/{key}"), "eTag": etag, "sequencer": "0A"}}}
            for key in keys
        ]
    }  # fmt: skip


def test_a_notification_asks_for_the_days_of_its_object_and_tells_the_latency(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    queue.send(told(location, land(store, "2026-10-05")))

    tags = daemon.tick()[FIFTH]

    assert tags[LATENCY_SECONDS] == "60.0"
    assert tags[OBJECTS] == "1"


def test_a_message_is_deleted_only_after_the_tick_that_follows_from_it_is_durable(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    queue.send(told(location, land(store, "2026-10-05")))

    daemon.tick()
    assert queue.counted() == (0, 1)
    daemon.tick()
    assert queue.counted() == (0, 0)


def test_a_kill_between_request_and_deletion_brings_the_message_again_and_makes_no_second_run(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    queue.send(told(location, land(store, "2026-10-05"), land(store, "2026-10-05\n")))
    daemon.tick()
    daemon.begin()
    daemon.end()

    daemon.restart()  # killed before anything was deleted
    daemon.show_again()

    assert daemon.tick() == {}
    assert "2 told again" in (daemon.told or "")
    daemon.tick()
    assert queue.counted() == (0, 0)
    assert len(daemon.runs()) == 1


def test_a_tick_that_was_lost_makes_the_same_run_key_when_its_messages_come_again_in_another_order(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    for text in ("2026-10-05", "2026-10-05\n2026-10-06", "2026-10-06"):
        queue.send(told(location, land(store, text)))
    lost = daemon.evaluate()
    daemon.restart()
    daemon.show_again()

    made = daemon.tick()

    assert set(made) == {FIFTH, SIXTH}
    assert {tags["dagster/run_key"] for tags in made.values()} == {each.run_key for each in lost.run_requests or []}


def test_duplicates_in_one_tick_and_over_ticks_ask_once(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    message = told(location, land(store, "2026-10-05"))
    queue.send(message, message, {"Records": message["Records"] * 3})

    assert daemon.tick()[FIFTH][OBJECTS] == "1"
    daemon.begin()
    daemon.end()
    queue.send(message)
    assert daemon.tick() == {}
    assert daemon.told == "1 told again"


def test_other_bytes_under_a_known_key_are_asked_about_again(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    key = land(store, "2026-10-05")
    queue.send(told(location, key))
    daemon.tick()
    daemon.begin()
    daemon.end()

    queue.send(told(location, key, etag="restored"))

    assert set(daemon.tick()) == {FIFTH}


def test_what_cannot_be_used_is_set_aside_once_shown_and_deleted(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    good = told(location, land(store, "2026-10-05"))
    foreign = json.loads(json.dumps(good).replace(location.bucket, "other"))
    queue.send("hello", "hello", "[" * 5_000, [1, 2], {"weather": "fine"}, foreign, good)

    assert set(daemon.tick()) == {FIFTH}
    daemon.tick()

    assert queue.counted() == (0, 0)
    kept = [json.loads(store.get(each.key)) for each in store.list("events-refused/")]
    assert sorted(each["about"][:14] for each in kept) == sorted(
        ["hello", "[" * 14, "[1, 2]", '{"weather": "fine"}'[:14], "bucket other"]
    )
    assert all(each["reason"] for each in kept)


def test_messages_that_only_say_what_nobody_asks_are_deleted_and_leave_nothing(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    queue.send({"Event": "s3:TestEvent"}, told(location, "events-refused/1.json", "parsed/1.json", "raw/1.parquet"))

    daemon.tick()
    assert daemon.told == "3 asked for nothing"
    daemon.tick()

    assert queue.counted() == (0, 0)
    assert store.list("events-refused/") == []


def test_many_messages_in_one_tick_ask_for_no_more_runs_than_days(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    keys = [land(store, f"2026-10-{1 + number % 7:02}{chr(10) * number}") for number in range(35)]
    queue.send(*(told(location, key) for key in keys))

    made = daemon.tick()
    while queue.counted() != (0, 0):
        made |= daemon.tick()

    assert len(made) == len(daemon.runs()) == 7


def test_a_queue_that_is_not_there_stops_the_tick_with_what_to_do_and_loses_nothing(
    store: ObjectStore, location: StorageLocation, queue: Queue, daemon: Daemon
) -> None:
    queue.client.delete_queue(QueueUrl=queue.url)

    with pytest.raises(QueueFailed, match=r"cannot be read: .*NonExistentQueue.*Check events\.queue_url"):
        daemon.tick()
    assert daemon.cursor is None


def test_a_queue_that_nobody_answers_for_is_told_with_its_address() -> None:
    queue = ArrivalQueue("http://127.0.0.1:9/1/q", endpoint_url="http://127.0.0.1:9", region=REGION, hidden_seconds=60)

    with pytest.raises(QueueFailed, match=r"127\.0\.0\.1:9.*they wait in the queue"):
        queue.receive(wait_seconds=0)


def test_an_object_that_lands_on_s3_notifies_its_queue_and_asks_for_its_days(
    sqs_server: SqsServer, queue: Queue
) -> None:
    location = sqs_server.notifying_location(queue)
    daemon = Daemon(settings_of(location, queue.events), PlainRules())
    daemon.tick()
    store = store_at(location)
    land(store, "2026-10-05")
    store.put_new("parsed/not-watched.json", b"{}")

    made = {}
    while not made:  # moto notifies from a thread of its own
        made = daemon.tick()
    daemon.tick()

    assert set(made) == {FIFTH}
    assert queue.counted() == (0, 0)


class CutsAnswers:
    """Cuts the first answers in their bodies, so many."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self, method: str, target: str) -> Fault | None:
        """Cut it, if any are left to be cut; every request to SQS is a POST."""
        if not self.left:
            return None
        self.left -= 1
        return Fault.CUT_IN_ANSWER


def queue_behind(proxy: FaultProxy, queue: Queue, *, hidden_seconds: int) -> ArrivalQueue:
    """The queue as it is reached through the proxy."""
    return ArrivalQueue(queue.url, endpoint_url=proxy.endpoint_url, region=REGION, hidden_seconds=hidden_seconds)


def test_an_answer_that_is_cut_in_its_body_is_asked_for_again_and_no_message_is_lost_or_deleted_twice(
    queue: Queue, sqs_server: SqsServer
) -> None:
    queue.send("first", "second")
    with fault_proxy(urlsplit(sqs_server.endpoint_url).port or 0, cuts := CutsAnswers(2)) as proxy:
        behind = queue_behind(proxy, queue, hidden_seconds=0)

        received = behind.receive(wait_seconds=0)
        cuts.left = 1
        undeleted = behind.delete([each.receipt for each in received])

        assert sorted(each.body for each in received) == ["first", "second"]
        assert (undeleted, cuts.left) == (0, 0)
        assert proxy.faults[Fault.CUT_IN_ANSWER] == 3
    assert queue.counted() == (0, 0)


def test_a_queue_whose_every_answer_is_cut_is_named_and_its_messages_stay(
    store: ObjectStore, location: StorageLocation, queue: Queue, sqs_server: SqsServer
) -> None:
    queue.send(told(location, land(store, "2026-10-05")))
    with fault_proxy(urlsplit(sqs_server.endpoint_url).port or 0, cuts := CutsAnswers(100)) as proxy:
        events = replace(queue.events, queue_endpoint_url=proxy.endpoint_url)
        daemon = Daemon(settings_of(location, events), PlainRules())

        with pytest.raises(QueueFailed, match=r"cannot be read: .* they wait in the queue") as failed:
            daemon.tick()

        assert "Traceback" not in str(failed.value)
        assert sum(queue.counted()) == 1
        cuts.left = 0
        queue.send(told(location, land(store, "2026-10-06")))
        assert set(daemon.tick()) == {SIXTH}
