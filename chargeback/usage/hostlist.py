"""Slurm host lists, expanded and folded by ClusterShell without any group resolver: leading zeros are kept.

Not here: which of the hosts have GPUs.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

ABSENT_WORDS = frozenset({"", "none assigned", "none", "n/a", "(null)", "unknown"})

MOST_HOSTS = 100_000
"""A list that names more is refused before it is expanded."""

_ALLOWED = re.compile(r"^[A-Za-z0-9_.,\-\[\]]{1,65536}$")
_TOO_LONG = re.compile(r"\d{8,}\[|\]\d|\[[^\]]*\d{10,}")
"""Digits that touch a bracket become part of its range: Slurm prints few before one and none behind it."""

_BRACKETS = re.compile(r"\[([^\]]*)\]")


@lru_cache(maxsize=65536)
def expand_hosts(text: str) -> tuple[str, ...]:
    """The hosts of `gpu[01-04,07]`, in ClusterShell's order; none for `None assigned` and an empty text.

    Raises: ValueError for a text that is no host list, or that names more than 100,000 hosts.
    """
    if text.strip().lower() in ABSENT_WORDS:
        return ()
    return tuple(_node_set(text.strip()))


def fold_hosts(hosts: Iterable[str]) -> str:
    """The shortest list of the hosts: `gpu[01-04,07]`; empty for none."""
    return str(NodeSet.fromlist(list(hosts), resolver=RESOLVER_NOGROUP))


def _node_set(text: str) -> NodeSet:
    if not _ALLOWED.match(text) or _TOO_LONG.search(text):
        raise ValueError(f"host list {text[:80]!r} has characters or digits that host names do not have")
    if "[" in text and _widest(text) > MOST_HOSTS:
        raise ValueError(f"host list {text[:80]!r} names more than {MOST_HOSTS} hosts")
    try:
        return NodeSet(text, resolver=RESOLVER_NOGROUP)
    except NodeSetException as problem:
        raise ValueError(f"host list {text[:80]!r} is not readable: {problem}") from None


def _widest(text: str) -> int:
    """An upper bound of how many hosts the list names: no bracket is expanded for it."""
    product = 1
    for inside in _BRACKETS.findall(text):
        width = 0
        for part in inside.split(","):
            first, _, last = part.partition("-")
            if not first.isdigit() or (last and not last.isdigit()):
                raise ValueError(f"host list {text[:80]!r} has a range {part!r} that is none")
            width += int(last or first) - int(first) + 1
        product *= max(width, 1)
        if product > MOST_HOSTS:
            return product
    return product
