"""What the devices of a run did, and what the run costs on which statement line. Exact; texts are job_document.py's."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS
from chargeback.ledger.charges import LINE_KEY, line_id_of
from chargeback.money import SECONDS_PER_HOUR

MILLISECONDS = 1000
_STATES = ("idle", "starved", "busy", "unmeasured", "active")
_DEVICE = ("run", "host", "accelerator", "sharing", "gpu")
_SCALE = ("share_units", "units_per_gpu")
_PRICED = ("quantity_unit", "price", "card_version")


@dataclass(frozen=True, slots=True)
class Did:
    """Physical GPU-seconds by what they did; energy in microjoules, None where nothing was sampled."""

    held: Fraction = Fraction(0)
    idle: Fraction = Fraction(0)
    starved: Fraction = Fraction(0)
    busy: Fraction = Fraction(0)
    unmeasured: Fraction = Fraction(0)
    active: Fraction = Fraction(0)
    energy_microjoules: int | None = None

    def __add__(self, other: "Did") -> "Did":
        known = [each for each in (self.energy_microjoules, other.energy_microjoules) if each is not None]
        return Did(
            held=self.held + other.held,
            idle=self.idle + other.idle,
            starved=self.starved + other.starved,
            busy=self.busy + other.busy,
            unmeasured=self.unmeasured + other.unmeasured,
            active=self.active + other.active,
            energy_microjoules=sum(known) if known else None,
        )

    @property
    def observed(self) -> Fraction:
        """Held time that telemetry saw."""
        return self.idle + self.starved + self.busy


@dataclass(frozen=True, slots=True)
class Device:
    """What a run had of one GPU or slice; of a host and accelerator, with an empty `gpu`, where it is not bound."""

    run: str
    host: str
    accelerator: str
    sharing: str
    gpu: str
    did: Did


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a run has on one statement line; `price` None: the card has none, so it is not charged."""

    line_id: str
    key: dict[str, str]
    quantity: Fraction
    quantity_unit: str
    price: Decimal | None
    card_version: str
    on_statement: bool

    @property
    def exact(self) -> Fraction:
        """Its cost before the line is rounded; negative on a credit."""
        return self.quantity * Fraction(self.price or 0) / SECONDS_PER_HOUR

    @property
    def is_credit(self) -> bool:
        """Whether it is forgiven."""
        return self.key["kind"] in CREDIT_KINDS


def devices_of(attribution: pl.DataFrame) -> list[Device]:
    """contracts.attribution of some runs, one item per run and device, by run, host and GPU."""
    milliseconds = [pl.col(f"{state}_milliseconds").cast(pl.Int128).sum() for state in _STATES]
    energy = pl.when(pl.col("energy_microjoules").is_not_null().any()).then(pl.col("energy_microjoules").sum())
    rows = attribution.group_by(*_DEVICE, *_SCALE).agg(
        pl.col("held_seconds").cast(pl.Int128).sum(), *milliseconds, energy=energy
    )
    found: dict[tuple[str, ...], Did] = {}
    for row in rows.iter_rows(named=True):
        key = tuple(row[name] for name in _DEVICE)
        share = Fraction(row["share_units"], row["units_per_gpu"])
        states = {state: row[f"{state}_milliseconds"] * share / MILLISECONDS for state in _STATES}
        did = Did(held=row["held_seconds"] * share, energy_microjoules=row["energy"], **states)
        found[key] = found.get(key, Did()) + did
    return [Device(**dict(zip(_DEVICE, key, strict=True)), did=found[key]) for key in sorted(found)]


def costs_of(rated: pl.DataFrame, line_ids: Collection[str]) -> list[RunCost]:
    """contracts.rated_usage of one run, one item per statement line, by line key; `line_ids`: those of team_charges."""
    sums = rated.group_by(*LINE_KEY, *_PRICED, "quantity_denominator").agg(
        pl.col("quantity_numerator").cast(pl.Int128).sum()
    )
    quantities: dict[tuple[object, ...], Fraction] = {}
    columns = (*LINE_KEY, *_PRICED)
    for *found, denominator, numerator in sums.iter_rows():
        values = tuple(found)
        quantities[values] = quantities.get(values, Fraction(0)) + Fraction(numerator, denominator)
    costs = []
    for values, quantity in quantities.items():
        row = dict(zip(columns, values, strict=True))
        key = {name: str(row[name]) for name in LINE_KEY}
        price = row["price"]
        costs.append(
            RunCost(
                line_id=line_id_of(key),
                key=key,
                quantity=quantity,
                quantity_unit=str(row["quantity_unit"]),
                price=price if isinstance(price, Decimal) else None,
                card_version=str(row["card_version"] or ""),
                on_statement=line_id_of(key) in line_ids,
            )
        )
    return sorted(costs, key=lambda cost: (tuple(cost.key.values()), cost.quantity_unit))
