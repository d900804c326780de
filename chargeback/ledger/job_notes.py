"""What to do about a job, in one or two sentences: GPUs that it did not use, time that was lost, or what nobody saw.

Not here: what counts as lost (waste.py) and what helps against it (waste_parts.py).
"""

from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import ALLOCATION
from chargeback.ledger.job_usage import Device, Did
from chargeback.ledger.plain_numbers import grouped, hours_text
from chargeback.ledger.statement_page import sentence
from chargeback.ledger.waste import waste_items
from chargeback.ledger.waste_parts import KIND_NAMES, advice

MOST_NOTES = 2
WORTH_SAYING = Fraction(5, 100)
"""A part of what was held below which a loss is not worth a sentence."""

UNKNOWN_COUNT = (
    "Nobody recorded how many GPUs it had: an entry in approvals/ settles it, and until then the month is open."
)
HELD_NOTHING = "It held no GPU, so it costs nothing here."
NEVER_STARTED = "It never started, so it held nothing."
FINE = "Nothing to do: its GPUs worked."


def job_notes(devices: Sequence[Device], rated: pl.DataFrame, bases: set[str]) -> list[str]:
    """At most two sentences about all runs of a job.

    Input:   devices_of its attribution; its contracts.rated_usage, empty where the month was not rated; the
             gpu_count_basis of its runs.
    """
    did = sum((device.did for device in devices), Did())
    if not did.held:
        return [_nothing_held(bases)]
    unused = _unused(devices)
    told = {"idle"} if unused else set()
    return [*unused, *_lost(rated, did, told), *_unseen(did)][:MOST_NOTES] or [FINE]


def _nothing_held(bases: set[str]) -> str:
    if "unknown" in bases:
        return UNKNOWN_COUNT
    return NEVER_STARTED if bases == {"never started"} else HELD_NOTHING


def _unused(devices: Sequence[Device]) -> list[str]:
    """GPUs of one run that telemetry saw and that never worked, while others of it did or none."""
    seen: dict[str, list[Device]] = {}
    for device in devices:
        if device.gpu and device.did.observed:
            seen.setdefault(device.run, []).append(device)
    worst = max(seen.values(), key=lambda own: (len(_never(own)), own[0].run), default=[])
    never = _never(worst)
    if not never:
        return []
    hours = grouped(hours_text(sum((device.did.held for device in never), Fraction(0))))
    used = len(worst) - len(never)
    ask = f"ask for {used}" if used else "find out what it waits for before it asks for GPUs again"
    where = f" ({never[0].host} {never[0].gpu})" if len(never) == 1 else ""
    noun = "GPU" if len(worst) == 1 else "GPUs"
    return [f"It held {len(worst)} {noun} and used {used}: {hours} GPU-hours{where} never worked, {ask}."]


def _never(devices: Sequence[Device]) -> list[Device]:
    return [device for device in devices if not device.did.active]


def _lost(rated: pl.DataFrame, did: Did, told: set[str]) -> list[str]:
    items = waste_items(rated.filter(pl.col("kind") == ALLOCATION), limit=1) if len(rated) else []
    return [
        sentence(f"{grouped(hours_text(item.lost))} GPU-hours {KIND_NAMES[item.kind]}: {advice(item)}")
        for item in items
        if item.lost >= did.held * WORTH_SAYING and item.kind not in told
    ]


def _unseen(did: Did) -> list[str]:
    if not did.unmeasured > did.held / 2:
        return []
    hours = grouped(hours_text(did.unmeasured))
    remedy = "see that the exporter runs on its hosts and that its GPUs are bound"
    return [f"Nobody saw what {hours} GPU-hours did, which is not idle: {remedy}."]
