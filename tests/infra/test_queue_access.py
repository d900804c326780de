"""infra/store-access/queue-reader.json permits exactly what the sensor asks of a queue."""

import json

from resources.arrival_queue import ArrivalQueue
from tests.architecture.source_tree import ROOT
from tests.services.sqs import REGION, SqsServer, any_credentials, sqs_server

__all__ = ["any_credentials", "sqs_server"]  # the fixtures

POLICY = ROOT / "infra" / "store-access" / "queue-reader.json"


def test_who_reads_the_queue_may_do_what_reading_takes_and_nothing_else(
    sqs_server: SqsServer, any_credentials: None
) -> None:
    queue = sqs_server.fresh_queue()
    queue.send("one", "two")
    reader = ArrivalQueue(queue.url, endpoint_url=sqs_server.endpoint_url, region=REGION, hidden_seconds=60)
    asked: set[str] = set()
    reader._client.meta.events.register("before-call.sqs", lambda model, **_: asked.add(model.name))

    kept, given_back = reader.receive(wait_seconds=1)
    reader.delete([kept.receipt])
    reader.give_back([given_back.receipt])

    (statement,) = json.loads(POLICY.read_text())["Statement"]
    assert sorted(statement["Action"]) == sorted(f"sqs:{name.removesuffix('Batch')}" for name in asked)
    assert queue.counted() == (1, 0)
