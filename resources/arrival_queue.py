"""The SQS queue to which a bucket sends its notifications: received at least once, deleted when it is safe.

Credentials come from the standard chain. Not here: what a message says (arrival_queue_messages.py), when it may be
deleted (orchestration/sqs.py).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from resources.s3_errors import CUT
from resources.storage_location import aws_session

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import DeleteMessageBatchRequestEntryTypeDef

Answer = TypeVar("Answer")

ATTEMPTS = 3
MOST_A_CALL = 10
"""Messages that SQS hands out, or deletes, in one request."""


class QueueFailed(Exception):
    """The queue cannot be used now; nothing was lost, and the next look goes on."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message in our hands until its visibility timeout; `receipt` deletes it."""

    body: str
    receipt: str


class ArrivalQueue:
    """One queue. Messages that are not deleted come again after `hidden_seconds`."""

    def __init__(self, url: str, *, endpoint_url: str | None, region: str | None, hidden_seconds: int) -> None:
        self.url = url
        self._endpoint_url, self._region, self._hidden_seconds = endpoint_url, region, hidden_seconds

    def receive(self, *, wait_seconds: int) -> list[Received]:
        """At most ten messages; none if none came within `wait_seconds`. Raises QueueFailed."""
        answer = self._answered(
            lambda: self._client.receive_message(
                QueueUrl=self.url,
                MaxNumberOfMessages=MOST_A_CALL,
                WaitTimeSeconds=wait_seconds,
                VisibilityTimeout=self._hidden_seconds,
            ),
            "read", "sqs:ReceiveMessage",
        )  # fmt: skip
        return [Received(each.get("Body", ""), each["ReceiptHandle"]) for each in answer.get("Messages", [])]

    def delete(self, receipts: Sequence[str]) -> int:
        """Delete messages; how many SQS did not delete, which then come again. Raises QueueFailed."""
        kept = 0
        for entries in _entries(receipts):
            delete = partial(self._client.delete_message_batch, QueueUrl=self.url, Entries=entries)
            kept += len(self._answered(delete, "emptied", "sqs:DeleteMessage").get("Failed", []))
        return kept

    def give_back(self, receipts: Sequence[str]) -> None:
        """Let messages come again at once. Raises QueueFailed; they then come when their timeout is over."""
        for entries in _entries(receipts):
            show = partial(
                self._client.change_message_visibility_batch,
                QueueUrl=self.url, Entries=[{**each, "VisibilityTimeout": 0} for each in entries],
            )  # fmt: skip
            self._answered(show, "given back to", "sqs:ChangeMessageVisibility")

    def _answered(self, ask: Callable[[], Answer], what: str, permission: str) -> Answer:
        """What SQS answers, asked again where its answer is cut in the body, which botocore does not do by itself.

        Every request may be repeated: messages of a lost answer are hidden and come again, deletions are done once.
        """
        for left in reversed(range(ATTEMPTS)):
            try:
                return ask()
            except CUT as failure:
                if not left:
                    raise self._failed(what, permission, failure) from failure
            except (BotoCoreError, ClientError) as failure:
                raise self._failed(what, permission, failure) from failure
        raise AssertionError("at least one attempt is made")

    def _failed(self, what: str, permission: str, failure: Exception) -> QueueFailed:
        # botocore's own messages name addresses and error codes, never credentials.
        return QueueFailed(
            f"queue {self.url} cannot be {what}: {failure}. Check events.queue_url, the network and {permission}; "
            "no notification is lost, they wait in the queue"
        )

    @cached_property
    def _client(self) -> "SQSClient":
        return aws_session().client(
            "sqs",
            endpoint_url=self._endpoint_url,
            region_name=self._region or aws_session().region_name or "us-east-1",
            config=Config(retries={"mode": "standard", "max_attempts": ATTEMPTS}, connect_timeout=5, read_timeout=15),
        )


def _entries(receipts: Sequence[str]) -> Iterator[list["DeleteMessageBatchRequestEntryTypeDef"]]:
    for start in range(0, len(receipts), MOST_A_CALL):
        some = receipts[start : start + MOST_A_CALL]
        yield [{"Id": str(number), "ReceiptHandle": receipt} for number, receipt in enumerate(some)]
