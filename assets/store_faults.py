"""What an asset does when the store fails under it: the failure is one sentence, and what reads landing asks again.

Rows are read when they are collected, long after the lake has handed them out, so the lake alone cannot name what goes
wrong then. Not here: what a store's failure is (resources/store_failures.py).
"""

import functools
from collections.abc import Callable
from typing import Any

import dagster as dg
from deltalake.exceptions import DeltaError
from polars.exceptions import PolarsError

from resources.store_failures import StoreFailure, store_failures_named

Compute = Callable[..., Any]

PATIENCE = dg.RetryPolicy(max_retries=3, delay=2, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
"""How often and when a store that was busy or away is asked again: after about 2, 6 and 14 s."""


def naming_store_faults(compute: Compute) -> Compute:
    """The same asset; what the store does wrong under it is raised as StoreFailure, in none of the store's words."""

    @functools.wraps(compute)
    def naming(*given: Any, **named: Any) -> Any:
        where = named["lake"].location.told() if "lake" in named else ""
        with store_failures_named(where, DeltaError, PolarsError):
            return compute(*given, **named)

    return naming


def asking_again(compute: Compute) -> Compute:
    """The same asset, run again in the same run after a StoreFailure, as PATIENCE says; after nothing else.

    Not by Dagster's own policy: it repeats whatever was raised, wrong code and a termination of the run too.
    """

    @functools.wraps(compute)
    def asking(context: dg.AssetExecutionContext, *given: Any, **named: Any) -> Any:
        try:
            return compute(context, *given, **named)
        except StoreFailure as failure:
            wait = PATIENCE.calculate_delay(context.retry_number + 1)
            raise dg.RetryRequested(max_retries=PATIENCE.max_retries, seconds_to_wait=wait) from failure

    return asking
