"""How an asset says no: a Dagster failure with the reasons as its description, not a stack trace of ours.

Not here: checks, which find and record; a refusal is for what cannot even be computed, or may not be let out.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import dagster as dg

from resources.people_objects import PeopleRefused


def refusal(reasons: Sequence[str]) -> dg.Failure:
    """A failure that is not retried, with one line a reason."""
    return dg.Failure(description="\n".join(reasons), metadata={"reasons": len(reasons)}, allow_retries=False)


@contextmanager
def refused_as_failure() -> Iterator[None]:
    """Turn a refused rate card, ownership file or approval into a failure that shows its reasons."""
    try:
        yield
    except PeopleRefused as refused:
        raise refusal(refused.reasons) from refused


def in_words(samples: Sequence[Mapping[str, object]], count: int) -> str:
    """The first of `count` findings (key, expected, observed) as a clause; empty if there are none."""
    if not samples:
        return ""
    first = samples[0]
    others = f" (and {count - 1:,} more)" if count > 1 else ""
    return f"{first['key']}: expected {first['expected']}, found {first['observed']}{others}"
