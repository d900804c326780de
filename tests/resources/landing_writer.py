"""A process that lands one extract after the other, each in a child of its own that is killed while it writes.

    python -m tests.resources.landing_writer ROOT ENDPOINT ATTEMPTS

`ENDPOINT` is empty for a directory. Prints how many children were killed. Everything is imported once, so that the
kill falls into the writing and not into the imports.
"""

import os
import random
import signal
import sys
import time
from datetime import UTC, datetime

from resources.landing import Landing
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session

AT = datetime(2026, 10, 5, 1, tzinfo=UTC)
SIZE = 3_000_000


def content_of(attempt: int) -> bytes:
    """What an attempt lands; the same whenever it is tried again."""
    return random.Random(attempt).randbytes(SIZE)


def land(location: StorageLocation, attempt: int) -> None:
    """Land it, as an extractor does."""
    Landing(store_at(location)).land(
        content_of(attempt), source="kubernetes/pods", cluster="k8s-b", extracted_at=AT, extension="json"
    )


def main() -> None:
    """Kill each child at another point between its beginning and the time that a whole landing takes."""
    root, endpoint, attempts = sys.argv[1], sys.argv[2] or None, int(sys.argv[3])
    location = StorageLocation(root, endpoint_url=endpoint, allow_http=endpoint is not None)
    if endpoint:
        aws_session()
    begun = time.monotonic()
    land(location, 0)
    whole = time.monotonic() - begun
    killed = 0
    for attempt in range(1, attempts + 1):
        child = os.fork()
        if child == 0:
            land(location, attempt)
            os._exit(0)
        time.sleep(whole * (attempt - 1) / attempts)
        os.kill(child, signal.SIGKILL)
        killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    main()
