"""Whether a store can be trusted with money: it must refuse to overwrite, also among writers at the same instant.

Some S3-compatible stores ignore If-None-Match, and tell two writers of one Delta commit that both have succeeded.
Asked once, before a lake is begun on a store. Not here: the stores.
"""

import secrets
from concurrent.futures import ThreadPoolExecutor

from resources.object_store import ObjectConflict, ObjectStore

ROUNDS = 5
WRITERS = 4
ADVICE = "commits would be lost on this store; use one that honours If-None-Match (conditional put)"


class UnsafeStore(Exception):
    """The store lost a write and said that it was kept."""


def probe_store(store: ObjectStore) -> None:
    """Let several writers put one new object at once, a few times; leaves a few small objects under probe/.

    Raises  UnsafeStore unless exactly one of them wins each time and its bytes are those that stay.
    """
    with ThreadPoolExecutor(WRITERS) as threads:
        for _ in range(ROUNDS):
            key = f"probe/{secrets.token_hex(8)}"
            contents = [secrets.token_bytes(64) for _ in range(WRITERS)]
            wins = list(threads.map(lambda content, key=key: _wins(store, key, content), contents))
            _judge(store, key, contents, wins)
            if _wins(store, key, b"too late"):
                raise UnsafeStore(f"object {key} was overwritten although it existed: {ADVICE}")


def _judge(store: ObjectStore, key: str, contents: list[bytes], wins: list[bool]) -> None:
    winners = [content for content, has_won in zip(contents, wins, strict=True) if has_won]
    if len(winners) != 1:
        raise UnsafeStore(f"{len(winners)} of {WRITERS} writers were told that they made object {key}: {ADVICE}")
    if store.get(key) != winners[0]:
        raise UnsafeStore(f"object {key} is not what its only writer wrote: {ADVICE}")


def _wins(store: ObjectStore, key: str, content: bytes) -> bool:
    try:
        return store.put_new(key, content)
    except ObjectConflict:
        return False
