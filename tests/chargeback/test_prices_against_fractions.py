"""What a card can state of a price, against plain fractions: units of a month, weights, classes, per cents, currencies.

Holds, credits and the recovery ledger have their own oracle (test_against_fractions.py). Not here: how a card is read.
"""

from collections import defaultdict
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import polars as pl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chargeback.contracts.capacity import CAPACITY
from chargeback.ledger.charges import charge_lines
from chargeback.money import Currency
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rating import rate_usage
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import MARCH, the_card, usage_of
from tests.tables import a_table_of, instant

H100, A100, SLICE = "h100-sxm5-80gb", "a100-sxm4-80gb", "a100-sxm4-80gb:3g.40gb"
HOURS_OF_UNIT = {"GPU-hour": 1, "month": 743, "month_730": 730}
"""March 2026 has 743 hours in Amsterdam, whose clock moves forward."""

PRICED = (f"{H100} reserved", *(f"{of} {tier}" for of in (H100, A100, SLICE) for tier in ("standard", "preemptible")))
MINOR_UNITS = {"JPY": 0, "EUR": 2, "KWD": 3}
MARK_UP = Fraction(1, 8)
OWNERS = {  # account or reservation -> team, cost centre and project, class, per cent
    "lab": (("Vision", "4711 vis", "", "100"),),
    "guest": (("Acme", "4900 acm", "partners", "100"),),
    "shared": (("Vision", "4711 shr", "", "33.333"), ("Acme", "4900 shr", "partners", "66.667")),
}
MARCH_9 = instant("2026-03-09T08:00Z")

price = st.decimals("0.1", "9.9", places=4)
jobs = st.lists(
    st.tuples(
        st.sampled_from(sorted(OWNERS)),
        st.sampled_from(["standard", "preemptible"]),
        st.sampled_from([(H100, "1/1"), (H100, "3/8"), (A100, "1/1"), (SLICE, "3/7")]),
        st.integers(1, 8),
        st.integers(1, 4 * 3600),
    ),
    min_size=1,
    max_size=6,
)
reserved = st.lists(st.tuples(st.sampled_from(sorted(OWNERS)), st.sampled_from([1, 7, 80]), st.integers(1, 10**5)),
                    max_size=3)  # fmt: skip
Jobs = list[tuple[str, str, tuple[str, str], int, int]]
Reserved = list[tuple[str, int, int]]
Key = tuple[str, str, str, str, str]


def half_even(exact: Fraction, places: int) -> Fraction:
    whole, rest = divmod(exact * 10**places, 1)
    return Fraction(whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)), 10**places)


def oracle(
    held: Jobs, unused: Reserved, stated: dict[str, Decimal], unit: str, weight: Fraction | None, places: int
) -> dict[Key, Fraction]:
    """(team, cost centre and project, accelerator, tier, kind) -> amount."""
    quantities: dict[tuple[Key, Fraction], Fraction] = defaultdict(Fraction)
    asked = [
        (account, accelerator, tier, "allocation", length * devices * _units(accelerator, share, weight))
        for account, tier, (accelerator, share), devices, length in held
    ]
    asked += [(name, H100, "reserved", "reserved-unused", Fraction(at, per_gpu)) for name, per_gpu, at in unused]
    for account, accelerator, tier, kind, quantity in asked:
        for team, centre, customer_class, per_cent in OWNERS[account]:
            of = f"{accelerator.partition(':')[0] if weight else accelerator} {tier}"
            per_unit = half_even(Fraction(stated[of]) * (1 + MARK_UP), 4) if customer_class else Fraction(stated[of])
            hourly = half_even(per_unit / HOURS_OF_UNIT[unit if H100 in of else "GPU-hour"], 12)
            quantities[(team, centre, accelerator, tier, kind), hourly] += quantity * Fraction(per_cent) / 100
    return {key: half_even(quantity * hourly / 3600, places) for (key, hourly), quantity in quantities.items()}


def _units(accelerator: str, share: str, weight: Fraction | None) -> Fraction:
    return (weight or Fraction(1)) if accelerator == SLICE else Fraction(share)


def card_of(stated: dict[str, Decimal], unit: str, weight: Fraction | None, code: str) -> bytes:
    def tiers(accelerator: str, of_unit: str, *names: str, indent: str = "    ") -> str:
        return "".join(
            f"{indent}{tier}: {{price: {stated[f'{accelerator} {tier}']}, unit: {of_unit}}}\n" for tier in names
        )

    by_price = tiers(SLICE, "slice-hour", "standard", "preemptible", indent="        ")
    return (
        f'version: "2026.1"\neffective_from: 2026-01\ncurrency: {code}\nprepared_by: platform lead\naccelerators:\n'
        f"  {H100}:\n{tiers(H100, unit, 'standard', 'preemptible', 'reserved')}"
        f"  {A100}:\n{tiers(A100, 'GPU-hour', 'standard', 'preemptible')}"
        f"    slices:\n      3g.40gb:\n{by_price if weight is None else f'        billing_weight: {weight}' + chr(10)}"
        "customer_classes:\n  internal: {kind: internal}\n  partners: {kind: external, mark_up: 12.5 %}\n"
    ).encode()


def owners() -> pl.DataFrame:
    told = [
        f"slurm-a,{kind},{name},{project},{team},{centre},C1,{per_cent},2026-01-01,,{of}"
        for kind in ("account", "reservation")
        for name, parts in OWNERS.items()
        for team, booked_on, of, per_cent in parts
        for centre, project in [booked_on.split()]
    ]
    rows, refusals = read_ownership("\n".join([f"{HEADER.strip()},customer_class", *told]).encode(), object_key="o.csv")
    assert refusals == []
    return ownership_of_month(rows, period=MARCH)


def capacity_of(unused: Reserved) -> pl.LazyFrame:
    rows = [
        f'2026-03-09  gpu{number}  {H100}  {per_gpu}  {seconds}  {{"{name}":{seconds}}}'
        for number, (name, per_gpu, seconds) in enumerate(unused)
    ]
    header = "day  host  accelerator  units_per_gpu  reserved_unused_unit_seconds  reserved_unused_by"
    return a_table_of(CAPACITY, "\n".join([header, *rows]), cluster="slurm-a").lazy()


def holds_of(held: Jobs) -> str:
    return "\n".join(
        f"{number} {account} u1 {tier} gpu{number} {accelerator} {devices} {share} "
        f"{MARCH_9:%Y-%m-%dT%H:%M:%SZ} {MARCH_9 + timedelta(seconds=length):%Y-%m-%dT%H:%M:%SZ}"
        for number, (account, tier, (accelerator, share), devices, length) in enumerate(held, start=200)
    )


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    jobs, reserved, st.lists(price, min_size=7, max_size=7), st.sampled_from(sorted(HOURS_OF_UNIT)),
    st.sampled_from([None, Fraction(1, 2), Fraction(3, 7)]), st.sampled_from(sorted(MINOR_UNITS)),
)  # fmt: skip
def test_lines_are_the_oracles_in_every_unit_class_weight_and_currency(
    held: Jobs, unused: Reserved, some: list[Decimal], unit: str, weight: Fraction | None, code: str
) -> None:
    monthly = 730 if unit != "GPU-hour" else 1  # a card whose prices are 100 times apart is refused
    stated = {name: each * monthly if H100 in name else each for name, each in zip(PRICED, some, strict=True)}
    expected = oracle(held, unused, stated, unit, weight, MINOR_UNITS[code])
    prices = prices_of_month(the_card(card_of(stated, unit, weight, code)), period=MARCH)
    attribution, runs = usage_of(holds_of(held))

    rated = rate_usage(
        attribution.lazy(), runs.lazy(), owners(), prices, period=MARCH, currency=code, reserved_of=capacity_of(unused)
    )  # fmt: skip
    lines = charge_lines(rated, currency=Currency(code))

    centre = pl.concat_str("cost_centre", "project", separator=" ")
    found = lines.select("team", centre, "accelerator", "tier", "kind", "amount").iter_rows()
    assert {tuple(key): Fraction(amount) for *key, amount in found} == expected
