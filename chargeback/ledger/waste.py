"""Which workloads lost most: ranked by absolute GPU-hours, with name, owner, days, and what to do in a sentence.

Never by a percentage: sixty-four GPUs at 60 % lose more than a notebook at 5 %. What nobody measured is a list of its
own and no waste. Not here: what counts as lost (usage_states.py), texts of a document (waste_parts.py).
"""

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import ALLOCATION
from chargeback.ledger.usage_states import LOSSES, UsageStates, states_by, with_losses
from chargeback.ledger.usage_sums import Held, held_by

WORKLOAD = ("cluster", "team", "account", "user", "workload_name", "workload_class")
"""Whose runs are told together: what one person submitted under one name."""

UNMEASURED = "unmeasured"
_RATE = ("accelerator", "sharing", "tier")
"""Within these a GPU-hour costs the same."""


@dataclass(frozen=True, slots=True)
class WasteItem:
    """What one workload lost in one way: `states` are all of its, `cost` that of the lost time before rounding."""

    kind: str
    key: dict[str, str]
    lost: Fraction
    cost: Fraction
    states: UsageStates
    first_day: str
    last_day: str
    run_count: int
    job_id: str
    gpus_measured: int
    gpus_never_active: int

    @property
    def is_estimate(self) -> bool:
        """Whether some of its devices were shared, so that what it did is split by share."""
        return self.states.estimated > 0


def waste_items(rated: pl.DataFrame, *, limit: int) -> list[WasteItem]:
    """The `limit` largest losses of a workload in one way, most GPU-seconds first, ties by key.

    Input: contracts.rated_usage of whatever is looked at. A workload that lost time in two ways stands in two rows.
    """
    return _items(rated, LOSSES, limit=limit)


def unmeasured_items(rated: pl.DataFrame, *, limit: int) -> list[WasteItem]:
    """The `limit` workloads of which most held time went unmeasured: nobody knows whether it was lost."""
    return _items(rated, (UNMEASURED,), limit=limit)


def never_active_items(rated: pl.DataFrame, *, limit: int) -> list[WasteItem]:
    """The workloads with GPUs that never worked in the month, most held GPU-seconds first: `k of n` of all their runs.

    `lost` is what their runs lost in every way.
    """
    named = with_workload_names(rated).filter(pl.col("gpus_never_active") > 0)
    items = []
    for key, states in sorted(states_by(named, *WORKLOAD).items(), key=lambda each: (-each[1].held, each[0]))[:limit]:
        own = _rows_of(named, key)
        items.append(_item("never active", key, own, states, lost=states.lost, days=own["day"]))
    return items


def with_workload_names(rated: pl.DataFrame) -> pl.DataFrame:
    """Rated usage with workload_name: what was submitted, else the job's name, else its id."""
    given = [pl.when(pl.col(name) != "").then(pl.col(name)) for name in ("workload", "job_name", "job_id")]
    return rated.with_columns(workload_name=pl.coalesce(*given, pl.col("run")))


def _items(rated: pl.DataFrame, kinds: tuple[str, ...], *, limit: int) -> list[WasteItem]:
    split = with_losses(with_workload_names(rated).lazy()).with_columns(
        pl.col(name).fill_null("") for name in WORKLOAD
    ).collect()  # fmt: skip
    columns = {kind: f"{kind if kind == UNMEASURED else f'lost_{kind}'}_unit_milliseconds" for kind in kinds}
    largest = _largest(split, columns, limit=limit)
    rows = split.join(largest, on=list(WORKLOAD), how="semi").partition_by(WORKLOAD, as_dict=True)
    items = []
    for kind, *key in largest.iter_rows():
        own = rows[tuple(key)]
        states = states_by(own, *WORKLOAD)[tuple(key)]
        lost = states.unmeasured if kind == UNMEASURED else Fraction(getattr(states, f"lost_{kind}"))
        days = own.filter(pl.col(columns[kind]) > 0)["day"]
        items.append(_item(kind, tuple(key), own, states, lost=lost, days=days))
    return sorted(items, key=lambda item: (-item.lost, item.kind, tuple(item.key.values())))


def _largest(split: pl.DataFrame, columns: dict[str, str], *, limit: int) -> pl.DataFrame:
    """kind and key of the largest groups. Found by whole milliseconds, in polars, so that many rows are no burden."""
    scale = pl.col("part_denominator").cast(pl.Int128) * pl.col("units_per_gpu").cast(pl.Int128)
    part = pl.col("part_numerator").cast(pl.Int128)
    by_workload = split.group_by(WORKLOAD).agg(
        *((pl.col(column).cast(pl.Int128) * part // scale).sum().alias(kind) for kind, column in columns.items()),
        *((pl.col(column) > 0).any().alias(f"any {kind}") for kind, column in columns.items()),
    )
    found = pl.concat(
        by_workload.filter(f"any {kind}").select(pl.lit(kind).alias("kind"), *WORKLOAD, milliseconds=kind)
        for kind in columns
    )
    return (
        found.sort("milliseconds", "kind", *WORKLOAD, descending=[True, *([False] * (1 + len(WORKLOAD)))])
        .head(limit)
        .drop("milliseconds")
    )


def _rows_of(rated: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    return rated.filter(
        pl.col(name).fill_null("") == value for name, value in zip(WORKLOAD, key, strict=True)
    )  # fmt: skip


def _item(
    kind: str, key: tuple[str, ...], own: pl.DataFrame, states: UsageStates, *, lost: Fraction, days: pl.Series
) -> WasteItem:
    runs = own.unique(["cluster", "run"], keep="first", maintain_order=True)
    jobs = runs["job_id"].unique()
    return WasteItem(
        kind=kind,
        key=dict(zip(WORKLOAD, key, strict=True)),
        lost=lost,
        cost=_cost_of_lost(own, kind),
        states=states,
        first_day=str(days.min() or ""),
        last_day=str(days.max() or ""),
        run_count=len(runs),
        job_id=str(jobs[0] or "") if len(jobs) == 1 else "",
        gpus_measured=int(runs["gpus_measured"].sum()),
        gpus_never_active=int(runs["gpus_never_active"].sum()),
    )


def _cost_of_lost(own: pl.DataFrame, kind: str) -> Fraction:
    """The unrounded cost of the lost time: its part of what was held at the same rate."""
    costs: dict[tuple[str, ...], Held] = held_by(own.filter(pl.col("kind") == ALLOCATION), *_RATE)
    lost = states_by(own, *_RATE)
    total = Fraction(0)
    for key, held in costs.items():
        states = lost[key]
        of_kind = {UNMEASURED: states.unmeasured}.get(kind, Fraction(getattr(states, f"lost_{kind}", states.lost)))
        total += held.cost * of_kind / held.gpu_seconds if held.gpu_seconds else Fraction(0)
    return total
