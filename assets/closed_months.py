"""Closed months as they would be today: computed in memory from their day tables, and nothing of them is written.

Not here: what is made of the difference (chargeback/ledger/corrections.py), closing (orchestration/close.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from assets.materialisation import Month, month_called
from assets.rating_terms import MONEY_TERMS, OWNER_TERMS, RatingTerms
from chargeback.billing_period import BillingPeriod, next_month
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.contract import Contract
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.registry import MONTHLY
from chargeback.contracts.runs import RUNS
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.corrections import Basis
from chargeback.ledger.statement_document import PARALLEL, read_document
from chargeback.pricing.prices_of_month import prices_of_month
from resources.code_version import code_version
from resources.content_hash import fingerprint, in_contract_order
from resources.correction_settings import FROZEN
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings

USED = (ATTRIBUTION, RUNS, CAPACITY)
"""The day tables that lines follow from."""

USAGE_OF_CLOSED = "usage of closed month "
"""What a month that corrects others records of each: the days that its corrections rest on."""

PRICE_COLUMNS = (
    "accelerator", "tier", "price", "price_unit", "billing_weight_numerator", "billing_weight_denominator",
    "class_prices",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FreshMonth:
    """A closed month as it would be now: what it follows from, and its contracts.team_charges when asked for."""

    month: str
    basis: Basis
    objects: Mapping[str, str]
    lines: Callable[[], pl.DataFrame]


def closed_months(lake: Lake) -> tuple[str, ...]:
    """The months of which every month table is closed, in order."""
    return tuple(sorted(frozenset.intersection(*(lake.closed_months(contract) for contract in MONTHLY))))


def booking_month(closed: Sequence[str]) -> str | None:
    """The month that books what changes of closed ones: the earliest that is open. None before any was closed."""
    return next_month(max(closed)) if closed else None


def looked_at(month: str, *, lake: Lake, settings: Settings) -> tuple[str, ...]:
    """The closed months whose differences a month books, in order; none unless it is the earliest open one.

    Within `corrections.look_back_months`; parallel months are frozen unless the settings say otherwise.
    """
    closed = closed_months(lake)
    if booking_month(closed) != month:
        return ()
    recent = closed[-settings.corrections.look_back_months :]
    return tuple(each for each in recent if not _is_frozen(each, lake, settings))


def usage_of_month(month: Month, lake: Lake) -> str:
    """Hash of what stands in the days of a month that lines follow from."""
    contents = {
        f"{contract.table}|{key}": state.content_hash
        for contract in USED
        for key, state in lake.states(contract, month.days).items()
    }
    return fingerprint(contents)


def fresh_month(name: str, *, lake: Lake, people: PeopleObjects, settings: Settings) -> FreshMonth:
    """A closed month from its day tables, the people's files and the settings of today.

    Raises PeopleRefused where no card is in force any more or a file cannot be read.
    """
    month = month_called(name, settings)
    owners, owner_objects = people.ownership(month.period)
    card, card_objects = people.rate_card(month.period, currency=settings.currency_code)
    prices = prices_of_month(card, period=month.period)
    terms = RatingTerms.of(month.period, settings, prices)
    chosen = {name: repr(value) for name, value in terms.recorded().items()}
    basis = Basis(
        usage=usage_of_month(month, lake),
        ownership=_owners_hash(owners, chosen),
        card=_rows_hash(prices, RATE_CARD, PRICE_COLUMNS),
        credits=_money_terms(chosen),
        rules=code_version(),
    )

    def lines() -> pl.DataFrame:
        hours, runs, states = (lake.scan(contract, month.days).frame for contract in USED)
        return charge_lines(terms.rated(hours, runs, states, owners), currency=settings.currency)

    return FreshMonth(name, basis, {**owner_objects, **card_objects}, lines)


def basis_at_closing(name: str, *, lake: Lake) -> Basis:
    """What the closed lines of a month follow from, by what their making recorded."""
    month = Partition.of_month(name)
    state = lake.state(RATED_USAGE, month)
    inputs = state.inputs if state else {}
    days = tuple(f"{contract.table}|" for contract in USED)
    chosen = {name: inputs.get(f"setting|{name}", "") for name in (*OWNER_TERMS, *MONEY_TERMS)}
    owners = lake.scan(OWNERSHIP, [month]).frame.collect()
    prices = lake.scan(RATE_CARD, [month]).frame.collect()
    return Basis(
        usage=fingerprint({name: content for name, content in inputs.items() if name.startswith(days)}),
        ownership=_owners_hash(owners, chosen),
        card=_rows_hash(prices, RATE_CARD, PRICE_COLUMNS),
        credits=_money_terms(chosen),
        rules=state.code_version if state else "",
    )


def differs_from_closing(period: BillingPeriod, rows: pl.DataFrame, contract: Contract, lake: Lake) -> bool:
    """Whether people's files say another thing of a closed month than what it was closed with."""
    stands = lake.scan(contract, [Partition.of_month(period.month)]).frame.collect()
    columns = PRICE_COLUMNS if contract is RATE_CARD else _owner_columns()
    return _rows_hash(rows, contract, columns) != _rows_hash(stands, contract, columns)


def _is_frozen(month: str, lake: Lake, settings: Settings) -> bool:
    """Whether a closed month was a parallel one, which nobody was charged for (design.md 5.9)."""
    if settings.corrections.parallel_months != FROZEN:
        return False
    stated = lake.scan(STATEMENTS, [Partition.of_month(month)]).frame.select("document").head(1).collect()
    return bool(len(stated)) and read_document(stated["document"][0])["mode"] == PARALLEL


def _owners_hash(owners: pl.DataFrame, chosen: Mapping[str, str]) -> str:
    told = {name: chosen[name] for name in OWNER_TERMS}
    return fingerprint({"rows": _rows_hash(owners, OWNERSHIP, _owner_columns()), **told})


def _money_terms(chosen: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {chosen[name]}" for name in MONEY_TERMS)


def _owner_columns() -> tuple[str, ...]:
    return tuple(name for name in OWNERSHIP.column_names if name not in ("object", "line"))


def _rows_hash(rows: pl.DataFrame, contract: Contract, columns: Sequence[str]) -> str:
    """Of what rows say, not of the file and line that say it."""
    said = in_contract_order(rows, contract).select(columns)
    return fingerprint({"rows": [[str(value) for value in row] for row in said.iter_rows()]})
