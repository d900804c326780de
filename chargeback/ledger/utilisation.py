"""What held time did, as the texts of a statement: states, and held against active by class, accelerator and cluster.

Texts and whole numbers only, in a fixed order. Not here: the sums (usage_states.py), single workloads (waste_parts.py).
"""

from fractions import Fraction

import polars as pl

from chargeback.ledger.plain_numbers import decimal_text, hours_text
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.usage_states import StateSums, UsageStates, all_states, states_by
from chargeback.ledger.usage_sums import held_by, total
from chargeback.money import SECONDS_PER_HOUR

STATES = ("busy", "starved", "idle", "unmeasured")
"""In the order in which pages draw them."""

GROUPINGS = ("workload_class", "accelerator", "cluster")


def held_parts(rated: pl.DataFrame | pl.LazyFrame) -> Document:
    """What the held hours did. Without telemetry all of them are unmeasured, which is never idle.

    `cost_per_active_hour` is what an hour cost in which the GPU was active, unrounded and for reading; empty where
    nothing was measured.
    """
    states = all_states(states_by(rated, "team"))
    cost = total(held_by(rated, "team")).cost
    active_hours = states.active / SECONDS_PER_HOUR
    return {
        **state_texts(states),
        "states": [
            {
                "state": state,
                "gpu_seconds": str(getattr(states, state)),
                "hours": hours_text(getattr(states, state)),
                "per_cent": per_cent(getattr(states, state), of=states.held),
            }
            for state in STATES
            if getattr(states, state)
        ],
        "has_telemetry": states.observed > 0,
        "cost_per_active_hour": decimal_text(cost / active_hours, decimals=2) if active_hours else "",
    }


def utilisation_parts(rated: pl.DataFrame | pl.LazyFrame) -> Document:
    """Held against active, each grouping a list, most held first. Input: with_node_sizes for node-hours."""
    together = states_by(rated, *GROUPINGS)
    return {
        grouping: [
            {
                "key": key,
                "name": accelerator_name(key) if grouping == "accelerator" else key,
                **state_texts(states),
            }
            for (key,), states in sorted(_folded(together, at).items(), key=lambda each: (-each[1].held, each[0]))
        ]
        for at, grouping in enumerate(GROUPINGS)
    }


def _folded(sums: StateSums, at: int) -> StateSums:
    """The sums by one part of their keys, so that the rows are read once for all of them."""
    folded: StateSums = {}
    for key, states in sums.items():
        folded[(key[at],)] = folded.get((key[at],), UsageStates()) + states
    return folded


def state_texts(states: UsageStates) -> Document:
    """The sums of a group as texts: hours to two decimals, held, active and consumed exactly as well.

    `node_hours` is empty where no node record says how many GPUs the hosts have; `active_per_cent` is of what telemetry
    saw, and empty where it saw nothing.
    """
    is_sized = bool(states.node_held)
    return {
        "gpu_seconds": str(states.held),
        "active_gpu_seconds": str(states.active),
        "consumed_gpu_seconds": str(states.consumed),
        "hours": hours_text(states.held),
        **{f"{state}_hours": hours_text(getattr(states, state)) for state in (*STATES, "active", "consumed", "lost")},
        "after_end_hours": hours_text(states.lost_after_end),
        "never_ran_hours": hours_text(states.lost_never_ran),
        "estimated_hours": hours_text(states.estimated),
        "node_hours": hours_text(states.node_held) if is_sized else "",
        "node_active_hours": hours_text(states.node_active) if is_sized else "",
        "unsized_hours": hours_text(states.unsized) if is_sized else "",
        "active_per_cent": per_cent(states.active, of=states.observed),
        "coverage_per_cent": per_cent(states.observed, of=states.held),
    }


def state_days(rated: pl.DataFrame) -> list[Document]:
    """Held GPU-hours per local day and state, for the chart and its table; none where telemetry saw nothing."""
    by_day = states_by(rated, "day")
    if not all_states(by_day).observed:
        return []
    return [
        {"day": day, **{f"{state}_hours": hours_text(getattr(states, state)) for state in STATES}}
        for (day,), states in by_day.items()
    ]


def per_cent(part: Fraction, *, of: Fraction) -> str:
    """To one decimal; empty of nothing."""
    return decimal_text(part * 100 / of, decimals=1) if of else ""
