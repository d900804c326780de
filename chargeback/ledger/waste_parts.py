"""Losses as texts: what kind it is, whose it is, and what to do first in one plain sentence.

Not here: which are the largest (waste.py).
"""

from fractions import Fraction

import polars as pl

from chargeback.ledger.plain_numbers import decimal_text, hours_text
from chargeback.ledger.statement_document import Document
from chargeback.ledger.unused_reservations import unused_texts
from chargeback.ledger.usage_states import all_states, states_by
from chargeback.ledger.waste import UNMEASURED, WasteItem, never_active_items, unmeasured_items, waste_items

WASTE_ROWS = 10
"""Losses that a statement document lists, and the estate's page of all teams together."""

KIND_NAMES = {
    "idle": "held and idle",
    "after_end": "held after its job ended",
    "never_ran": "held, never ran",
    "starved": "starved",
    UNMEASURED: "unmeasured",
    "never active": "GPUs never active",
}

_IDLE_ADVICE = {
    "interactive": "nothing runs in it: stop it while nobody works with it",
    "service": "nothing runs in it: fewer replicas, or a share of a GPU, would do",
    "batch": "nothing runs for that long: find out what it waits for, or ask for fewer GPUs",
}
_STARVED_ADVICE = {
    "interactive": "it works a little now and then: a share of a GPU would do",
    "service": "it has little to do: fewer replicas, or a share of a GPU, would do",
    "batch": "it runs and the GPUs wait: feed them faster (data loader, storage, network) or use fewer",
}
_ADVICE = {
    "after_end": "its job had ended and it held on: let it end with its job",
    "never_ran": "it got GPUs and never started: look at its image, volumes and start-up",
    UNMEASURED: "no telemetry of its GPUs: see that the exporter runs on its hosts and that its GPUs are bound",
}


def advice(item: WasteItem) -> str:
    """What to do first about a loss, in one plain sentence without its full stop."""
    never, measured = item.gpus_never_active, item.gpus_measured
    if item.kind in ("idle", "never active") and 0 < never < measured:
        fewer = f"ask for {measured - never}" if item.run_count == 1 else "ask for fewer"
        return f"{never} of {measured} GPUs never worked: {fewer}"
    by_class = _STARVED_ADVICE if item.kind == "starved" else _IDLE_ADVICE
    return _ADVICE.get(item.kind) or by_class[item.key["workload_class"]]


def waste_parts(rated: pl.DataFrame, *, limit: int, cost_decimals: int) -> Document:
    """The largest losses, unused reservations among them, the largest unknowns and the GPUs that never worked.

    Sums are of everything that was held: what a reservation kept is in no sum of hours.
    """
    lost = [item_texts(item, cost_decimals=cost_decimals) for item in waste_items(rated, limit=limit)]
    lost += unused_texts(rated, cost_decimals=cost_decimals)
    states = all_states(states_by(rated, "team"))
    runs = rated.unique(["cluster", "run"])
    return {
        "hours": hours_text(states.lost),
        "unmeasured_hours": hours_text(states.unmeasured),
        "rows": sorted(lost, key=lambda row: -Fraction(row["gpu_seconds"]))[:limit],
        "unmeasured": [
            item_texts(item, cost_decimals=cost_decimals) for item in _unknown(rated, states.observed, limit)
        ],
        "never_active": [
            item_texts(item, cost_decimals=cost_decimals) for item in never_active_items(rated, limit=limit)
        ],
        "gpus_measured": int(runs["gpus_measured"].sum()),
        "gpus_never_active": int(runs["gpus_never_active"].sum()),
    }


def item_texts(item: WasteItem, *, cost_decimals: int) -> Document:
    """One loss as every table prints it."""
    return {
        **item.key,
        "kind": item.kind,
        "what": KIND_NAMES[item.kind],
        "gpu_seconds": str(item.lost),
        "hours": hours_text(item.lost),
        "held_hours": hours_text(item.states.held),
        "active_hours": hours_text(item.states.active),
        "about": decimal_text(item.cost, decimals=cost_decimals),
        "first_day": item.first_day,
        "last_day": item.last_day,
        "run_count": item.run_count,
        "job_id": item.job_id,
        "gpus_measured": item.gpus_measured,
        "gpus_never_active": item.gpus_never_active,
        "is_estimate": item.is_estimate,
        "do_first": advice(item),
    }


def _unknown(rated: pl.DataFrame, observed: Fraction, limit: int) -> list[WasteItem]:
    """Where telemetry saw nothing at all, naming single workloads says nothing."""
    return unmeasured_items(rated, limit=limit) if observed else []
