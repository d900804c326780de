"""Great Expectations as the judge: metrics of one check against their limits.

Imported inside the function, since it takes seconds: definitions load without it (a test holds that). An exception
inside an expectation is a failure with its own words, never a pass. Not here: how metrics are computed, and where the
suites live (resources/expectation_context.py).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.expectation_context import metric_batches


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether every limit held, and a sentence for each that did not."""

    passed: bool
    broken: tuple[str, ...]


def judge(name: str, metrics: Mapping[str, int], limits: Mapping[str, tuple[int | None, int | None]]) -> Verdict:
    """Judge one row of metrics by the suite that the limits make; a limit on a metric that is absent is broken."""
    import great_expectations as gx
    import great_expectations.expectations as gxe  # its names are not declared as exported
    import pandas as pd

    expectations: list[Any] = []
    for metric, (low, high) in limits.items():
        if high is not None:
            expectations.append(gxe.ExpectColumnMaxToBeBetween(column=metric, max_value=high))
        if low:
            expectations.append(gxe.ExpectColumnMinToBeBetween(column=metric, min_value=low))
    suite = gx.ExpectationSuite(name=name, expectations=expectations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = metric_batches().get_batch({"dataframe": pd.DataFrame([dict(metrics)])}).validate(suite)
    return Verdict(
        passed=bool(result.success),
        broken=tuple(_sentence(outcome, metrics) for outcome in result.results if not outcome.success),
    )


def _sentence(outcome: Any, metrics: Mapping[str, int]) -> str:
    arguments = outcome.expectation_config.kwargs
    metric = arguments["column"]
    fault = outcome.exception_info or {}
    if metric not in metrics:
        return f"{metric} was not measured"
    if fault.get("raised_exception"):
        return f"{metric} could not be judged: {fault.get('exception_message')}"
    low, high = arguments.get("min_value"), arguments.get("max_value")
    return (
        f"{metric} is {metrics[metric]}, allowed is {f'at most {int(high)}' if low is None else f'at least {int(low)}'}"
    )
