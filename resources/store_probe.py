"""Whether a store refuses to overwrite, also among writers at the same instant, and shows at once what was put.

Some S3-compatible stores ignore If-None-Match, some do not know it. Asked before a lake is begun on a store, and by the
preflight. Not here: whether it keeps Delta commits (delta_probe.py), which stores that pass this were seen not to do.
"""

import secrets
from concurrent.futures import ThreadPoolExecutor

from resources.object_store import ObjectConflict, ObjectStore

ROUNDS = 5
MOST_ROUNDS = 15
"""A round in which an answer was lost is made again."""

WRITERS = 4
ADVICE = "commits would be lost on this store; use one that honours If-None-Match (conditional put)"


class UnsafeStore(Exception):
    """The store lost a write and said that it was kept."""


def probe_store(store: ObjectStore, *, place: str = "probe") -> None:
    """Let several writers put one new object at once, a few times; leaves a few small objects under `place`.

    Raises  UnsafeStore unless exactly one of them wins each time, its bytes are those that stay, and a listing and a
    read right afterwards show them; what the store raises if it knows no conditional put.
    """
    with ThreadPoolExecutor(WRITERS) as threads:
        shown = 0
        for _ in range(MOST_ROUNDS):
            key = f"{place}/{secrets.token_hex(8)}"
            contents = [secrets.token_bytes(64) for _ in range(WRITERS)]
            wins = list(threads.map(lambda content, key=key: _wins(store, key, content), contents))
            if not any(wins) and store.exists(key) and store.get(key) in contents:
                continue  # the winner's answer was lost on the way, and asked again it was refused: shows nothing
            _judge(store, key, contents, wins)
            if _wins(store, key, b"too late"):
                raise UnsafeStore(f"object {key} was overwritten although it existed: {ADVICE}")
            shown += 1
            if shown == ROUNDS:
                return
    raise UnsafeStore(f"{MOST_ROUNDS - shown} of {MOST_ROUNDS} objects were made and no writer was told so: {ADVICE}")


def _judge(store: ObjectStore, key: str, contents: list[bytes], wins: list[bool]) -> None:
    winners = [content for content, has_won in zip(contents, wins, strict=True) if has_won]
    if len(winners) != 1:
        raise UnsafeStore(f"{len(winners)} of {WRITERS} writers were told that they made object {key}: {ADVICE}")
    if store.get(key) != winners[0]:
        raise UnsafeStore(f"object {key} is not what its only writer wrote: {ADVICE}")
    if [each.key for each in store.list(key)] != [key]:
        raise UnsafeStore(f"object {key} was put and a listing right afterwards does not show it: data would be missed")


def _wins(store: ObjectStore, key: str, content: bytes) -> bool:
    try:
        return store.put_new(key, content)
    except ObjectConflict:
        return False
