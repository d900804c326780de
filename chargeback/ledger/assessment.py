"""Some days looked at before anything is decided: what was allocated, what was consumed, what a point of it is worth.

Needs no rate card and no ownership. Texts and whole numbers only; equal inputs make equal documents. Not here: the
verdict's rule (assessment_verdict.py), the page (assessment_page.py), which days (orchestration/assess.py).
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import UNATTRIBUTED
from chargeback.ledger.assessment_verdict import OWNER_FROM_PERCENT, Measures, rules, verdict
from chargeback.ledger.capacity_totals import COLUMNS
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_price
from chargeback.ledger.statement_document import Document
from chargeback.ledger.usage_states import StateSums, UsageStates, all_states, states_by
from chargeback.ledger.utilisation import held_parts, per_cent, state_texts, utilisation_parts
from chargeback.ledger.waste import waste_items
from chargeback.ledger.waste_parts import item_texts
from chargeback.money import SECONDS_PER_HOUR, Currency

SHOWN_OWNERS = 12
SHOWN_LOSSES = 5
DAYS_OF_A_YEAR = 365
GROUPED_BY = {"team": "team", "account": "account"}
_NOBODY = {("",), (UNATTRIBUTED,)}


def assessment(
    rated: pl.DataFrame,
    capacity_totals: pl.DataFrame,
    *,
    days: Sequence[str],
    day_seconds: int,
    clusters: Sequence[str],
    grouped_by: str,
    price: Decimal | None,
    currency: Currency,
    days_missing: int = 0,
) -> Document:
    """What a page says of the days.

    Input:   contracts.rated_usage of the days (its prices are not looked at), with node sizes for node-hours; capacity
             totals of them; `day_seconds`: length of all days together; grouped_by: team, or account where no
             ownership was landed; `price` of a GPU-hour, if somebody gave one; `days_missing`: days of a cluster that
             could not be computed.
    """
    owners = states_by(rated, GROUPED_BY[grouped_by])
    held = all_states(owners)
    measures = Measures(
        held_gpus=held.held / day_seconds,
        observed_share=held.observed / held.held if held.held else None,
        active_share=held.active / held.observed if held.observed else None,
        owner_count=sum(
            1
            for key, each in owners.items()
            if key not in _NOBODY and each.held * 100 >= held.held * OWNER_FROM_PERCENT
        ),
    )
    return {
        "first_day": days[0],
        "last_day": days[-1],
        "day_count": len(days),
        "days_missing": days_missing,
        "clusters": sorted(clusters),
        "grouped_by": grouped_by,
        "currency": currency.code,
        "price": plain_price(price) if price is not None else "",
        "verdict": verdict(measures),
        "rules": rules(measures),
        "held": held_parts(rated),
        "capacity": _capacity(capacity_totals),
        **_owner_parts(owners, grouped_by),
        "point": _worth(held.held / 100, days=len(days), price=price, currency=currency),
        "lost": _worth(held.lost, days=len(days), price=price, currency=currency),
        "utilisation": utilisation_parts(rated),
        "losses": [item_texts(item, cost_decimals=2) for item in waste_items(rated, limit=SHOWN_LOSSES)],
    }


def _owner_parts(owners: StateSums, grouped_by: str) -> Document:
    """Allocated against consumed, who was allocated most first, all others as one row."""
    ranked = sorted(owners.items(), key=lambda each: (-each[1].held, each[0]))
    rest = sum((states for _, states in ranked[SHOWN_OWNERS:]), UsageStates())
    return {
        "owners": [_owner(key[0] or f"(no {grouped_by})", states) for key, states in ranked[:SHOWN_OWNERS]],
        "owner_count": len(ranked),
        "further": _owner(f"{len(ranked) - SHOWN_OWNERS} further", rest) if len(ranked) > SHOWN_OWNERS else None,
        "total": _owner("total", all_states(owners)),
    }


def _owner(name: str, states: UsageStates) -> Document:
    return {
        "name": name,
        **state_texts(states),
        "not_consumed_hours": hours_text(states.observed - states.consumed),
        "consumed_per_cent": per_cent(states.consumed, of=states.observed),
    }


def _worth(gpu_seconds: Fraction, *, days: int, price: Decimal | None, currency: Currency) -> Document:
    """GPU-hours of the days and of a year at the same pace; with their worth where there is a price."""
    a_year = gpu_seconds * DAYS_OF_A_YEAR / days
    both = {"": gpu_seconds, "_a_year": a_year}
    return {
        **{f"hours{name}": hours_text(seconds) for name, seconds in both.items()},
        **{f"worth{name}": _money(seconds, price, currency) for name, seconds in both.items()},
    }


def _money(gpu_seconds: Fraction, price: Decimal | None, currency: Currency) -> str:
    if price is None:
        return ""
    return decimal_text(gpu_seconds / SECONDS_PER_HOUR * Fraction(price), decimals=currency.minor_units)


def _capacity(totals: pl.DataFrame) -> Document:
    sums = {state: sum((Fraction(text) for text in totals[state]), Fraction(0)) for state in COLUMNS}
    return {
        **{f"{state}_hours": hours_text(seconds) for state, seconds in sums.items()},
        "held_per_cent": per_cent(sums["held"], of=sums["capacity"]),
    }
