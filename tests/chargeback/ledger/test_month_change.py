"""Why a statement differs from last month's: hours, rate, credits and corrections add up for any two months."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_parts import corrected_change
from chargeback.ledger.corrections import booked_total
from chargeback.ledger.month_change import month_change
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.money import Currency
from tests.tables import a_table_of

EFFECTS = ("hours_effect", "rate_effect", "credits_effect", "corrections_effect")

priced = st.dictionaries(
    st.sampled_from(["h100 standard", "h100 preemptible", "a100 standard", "h100 reserved"]),
    st.tuples(st.integers(1, 10**7), st.decimals("0.001", "99.999", places=3), st.integers(0, 100)),
    max_size=4,
)  # fmt: skip
"""Accelerator and tier -> GPU-seconds, price, per cent of it that was forgiven."""

booked = st.lists(st.integers(-(10**6), 10**6).filter(bool), max_size=3)
Priced = dict[str, tuple[int, Decimal, int]]


def lines_of(held: Priced, currency: Currency) -> pl.DataFrame:
    """contracts.team_charges of one team."""
    rows = ["line_id  accelerator  tier  kind  quantity  price  amount"]
    for number, (what, (seconds, price, forgiven)) in enumerate(held.items()):
        accelerator, tier = what.split()
        kind = "reserved-unused" if tier == "reserved" else "allocation"
        amount = currency.round(Fraction(price) * seconds / 3600)
        back = currency.round(Fraction(amount) * forgiven / 100)
        rows.append(f"L{number}  {accelerator}  {tier}  {kind}  {seconds}  {price}  {amount}")
        if back:
            credit = "credit-platform-fault"
            rows.append(f"C{number}  {accelerator}  {tier}  {credit}  {-seconds * forgiven}/100  {price}  {-back}")
    return a_table_of(TEAM_CHARGES, "\n".join(rows), team="Vision", quantity_unit="GPU-second", currency=currency.code)


def corrections_of(minor_units: list[int], currency: Currency) -> pl.DataFrame:
    """contracts.corrections of the team, all of them booked."""
    rows = ["line_id  amount  status"]
    rows += [f"L{at}  {Decimal(units).scaleb(-currency.minor_units)}  booked" for at, units in enumerate(minor_units)]
    return a_table_of(CORRECTIONS, "\n".join(rows), team="Vision", currency=currency.code)


@settings(max_examples=60, deadline=None)
@given(priced, priced, booked, booked, st.sampled_from(["JPY", "EUR", "KWD"]))
def test_the_causes_of_a_change_add_up_to_the_difference_of_the_totals_of_any_two_months(
    before: Priced, now: Priced, corrected_before: list[int], corrected_now: list[int], code: str
) -> None:
    currency = Currency(code)
    lines, previous = lines_of(now, currency), lines_of(before, currency)
    booked_now, booked_before = (corrections_of(each, currency) for each in (corrected_now, corrected_before))
    change = month_change(lines, previous, currency=currency)
    told = {name: plain_amount(getattr(change, name), currency) for name in change.__slots__}

    shown = corrected_change({"has_previous": True, **told}, booked_now, booked_before, currency)

    earlier = sum(previous["amount"], Decimal(0)) + booked_total(booked_before)
    total = sum(lines["amount"], Decimal(0)) + booked_total(booked_now)
    assert Decimal(shown["previous_total"]) == earlier
    assert Decimal(shown["difference"]) == total - earlier
    assert sum(Decimal(shown.get(name, "0")) for name in EFFECTS) == Decimal(shown["difference"])


@settings(max_examples=30, deadline=None)
@given(priced, st.decimals("0.5", "2", places=2))
def test_equal_hours_at_other_prices_are_the_rate_but_for_the_rounding_of_lines(held: Priced, factor: Decimal) -> None:
    currency = Currency("EUR")
    whole = {what: (seconds, price, 0) for what, (seconds, price, _) in held.items()}
    dearer = {what: (seconds, price * factor, 0) for what, (seconds, price, _) in whole.items()}

    change = month_change(lines_of(dearer, currency), lines_of(whole, currency), currency=currency)

    assert change.credits_effect == 0
    assert abs(change.hours_effect) <= Decimal("0.01") * len(held) + Decimal("0.005")


@settings(max_examples=30, deadline=None)
@given(priced, priced)
def test_at_equal_prices_nothing_is_the_rate(before: Priced, now: Priced) -> None:
    same = {what: (seconds, before.get(what, (0, price, 0))[1], part) for what, (seconds, price, part) in now.items()}

    change = month_change(lines_of(same, Currency("EUR")), lines_of(before, Currency("EUR")), currency=Currency("EUR"))

    assert change.rate_effect == 0
