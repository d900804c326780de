"""Great Expectations' context: ephemeral, in memory, without a project tree on disk and without calls home.

The package is imported inside the function, since it takes seconds: definitions load without it. Reporting of its use
is refused before that, when this file is imported. Not here: expectations.
"""

import os
from functools import cache
from typing import Any

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")


@cache
def metric_batches() -> Any:
    """The batch definition through which one row of a check's metrics is judged; one context a process."""
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]
    return (
        context.data_sources.add_pandas("gate")
        .add_dataframe_asset("metrics")
        .add_batch_definition_whole_dataframe("whole")
    )
