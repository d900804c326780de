"""What a tick says of itself in Dagster's UI: its log, and why it requested nothing. Not here: what it did."""

import dagster as dg

from orchestration.arrivals import Released
from orchestration.arrivals_desk import Look

SET_ASIDE_TOLD = 5


def told_result(
    context: dg.SensorEvaluationContext, look: Look, released: Released, *, waiting: int, cursor: str
) -> dg.SensorResult:
    """The result of a tick, its counts in the log, or where it requests nothing in the reason for that."""
    parts = [look.told()]
    if released.requests:
        latency = f"the longest {released.longest_latency_seconds:.0f} s after the arrival"
        parts.append(f"{len(released.requests)} runs requested, {latency}")
    if released.covered:
        parts.append(f"{released.covered} partitions are read by a run that is queued")
    if waiting:
        parts.append(f"{waiting} partitions wait, {released.behind_runs} of them for the end of a run")
    told = "; ".join(parts)
    for each in look.set_aside[:SET_ASIDE_TOLD]:
        context.log.warning(f"set aside: {each}")
    if len(look.set_aside) > SET_ASIDE_TOLD:
        context.log.warning(f"{len(look.set_aside) - SET_ASIDE_TOLD} more set aside: chargeback arrivals lists them")
    if released.requests:
        context.log.info(told)
        return dg.SensorResult(run_requests=released.requests, cursor=cursor)
    return dg.SensorResult(skip_reason=dg.SkipReason(told), cursor=cursor)
