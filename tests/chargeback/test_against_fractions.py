"""The whole chain from holds to lines, lines at another card and recovery ledger, against an oracle of fractions.

The oracle walks over holds second by second's arithmetic in Python: no frame, no stream, no rounding but one a line.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chargeback.ledger.capacity_totals import CAPACITY_TOTALS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.recovery import recovery_rows
from chargeback.ledger.recovery_identity import identity_gap
from chargeback.ledger.usage_of_lines import usage_of_lines
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.repricing import reprice
from tests.chargeback.ledger.recovery_month import PLANNED, PRICES
from tests.chargeback.worked_month import CARD, EUR, MARCH, rated_usage, the_card

PRICE = {
    ("h100-sxm5-80gb", "standard"): "2.385", ("h100-sxm5-80gb", "preemptible"): "1.68",
    ("a100-sxm4-80gb", "standard"): "1.10", ("a100-sxm4-80gb:3g.40gb", "standard"): "0.60",
}  # fmt: skip
OTHER_CARD = CARD.replace(b"2.385", b"3.1415").replace(
    b"standard: {price: 0.60, unit: slice-hour}", b"billing_weight: 3/7"
)
OTHER_PRICE = PRICE | {("h100-sxm5-80gb", "standard"): "3.1415", ("a100-sxm4-80gb:3g.40gb", "standard"): "1.10"}
OTHER_WEIGHT = {"a100-sxm4-80gb:3g.40gb": Fraction(3, 7)}
"""What OTHER_CARD asks: by the slice no price of its own any more, but a part of its GPU's."""
OWNERS = {  # account -> team, cost centre and project, part
    "vision-lab": (("Vision", "4711 vis-01", 1),),
    "nlp-lab": (("NLP", "4712 nlp-02", 1),),
    "shared-lab": (("Vision", "4711 shr-04", Fraction(3, 5)), ("NLP", "4712 shr-04", Fraction(2, 5))),
    "misc": (("unattributed", " ", 1),),
}
CAP_HOURS, PREEMPTED_MINUTES = 5, 30
POLICIES = CreditPolicies(platform_fault_cap_hours=CAP_HOURS, preempted_minutes=PREEMPTED_MINUTES, suspended=True)
ZONE = ZoneInfo("Europe/Amsterdam")
MARCH_BEGINS = datetime.combine(date(2026, 3, 1), datetime.min.time(), ZONE).astimezone(UTC)

job = st.tuples(
    st.sampled_from(sorted(OWNERS)),
    st.sampled_from(["standard", "preemptible"]),
    st.sampled_from([("h100-sxm5-80gb", "1/1"), ("h100-sxm5-80gb", "3/8"), ("a100-sxm4-80gb", "1/1"),
                     ("a100-sxm4-80gb:3g.40gb", "3/7")]),
    st.integers(1, 8),
    st.integers(-86_400, 29 * 86_400 - 3600),  # ends in the month: a Sunday of March has 23 hours
    st.integers(1, 2 * 86_400),
    st.sampled_from(["completed", "platform fault", "preempted", "timeout"]),
    st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(6, 7), Fraction(1)]),
)  # fmt: skip
Job = tuple[str, str, tuple[str, str], int, int, int, str, Fraction]
Key = tuple[str, str, str, str, str]


def oracle(
    jobs: list[Job],
    price: Mapping[tuple[str, str], str] = MappingProxyType(PRICE),
    weight: Mapping[str, Fraction] = MappingProxyType({}),
) -> dict[Key, Decimal]:
    """(team, cost centre and project, accelerator, tier, kind) -> amount in euro."""
    quantities: dict[Key, Fraction] = defaultdict(Fraction)
    for each in jobs:
        account, tier, (accelerator, share), devices, begins, length, cause, _ = each
        ends = begins + length
        if (accelerator, tier) not in price or ends <= 0:
            continue
        held = ends - max(begins, 0)
        unit = devices * (weight.get(accelerator, Fraction(1)) if ":" in accelerator else Fraction(share))
        forgiven = 0
        for team, centre, part in OWNERS[account]:
            quantities[team, centre, accelerator, tier, "allocation"] += held * unit * part
            if cause == "platform fault":
                forgiven = min(held, CAP_HOURS * 3600)
                quantities[team, centre, accelerator, tier, "credit-platform-fault"] -= forgiven * unit * part
            if cause == "preempted" and tier == "standard":
                forgiven = max(0, min(ends, begins + PREEMPTED_MINUTES * 60) - max(begins, 0))
                quantities[team, centre, accelerator, tier, "credit-preempted"] -= forgiven * unit * part
            evenly = Fraction(suspended_seconds(each), length) * (held - forgiven)
            quantities[team, centre, accelerator, tier, "credit-suspended"] -= evenly * unit * part
    amounts: dict[Key, Decimal] = {}
    for key in sorted(quantities):  # allocation before its credits
        amount = _half_even_cents(quantities[key] * Fraction(price[key[2], key[3]]) / 3600)
        if key[4] != "allocation":
            amount = max(amount, -sum(at for other, at in amounts.items() if other[:4] == key[:4]))
        if quantities[key]:
            amounts[key] = amount
    return {key: Decimal(cents) / 100 for key, cents in amounts.items()}


def suspended_seconds(each: Job) -> int:
    """Of a job's whole hold, in whole seconds, as Slurm records it."""
    return int(each[5] * each[7])


def _half_even_cents(euro: Fraction) -> int:
    floor, rest = divmod(euro * 100, 1)
    return int(floor) + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))


def as_holds(jobs: list[Job]) -> str:
    lines = []
    for number, (account, tier, (accelerator, share), devices, begins, length, *_) in enumerate(jobs, start=200):
        start = MARCH_BEGINS + timedelta(seconds=begins)
        stretch = f"{start:%Y-%m-%dT%H:%M:%SZ} {start + timedelta(seconds=length):%Y-%m-%dT%H:%M:%SZ}"
        lines.append(f"{number} {account} u1 {tier} gpu{number} {accelerator} {devices} {share} {stretch}")
    return "\n".join(lines)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(job, min_size=1, max_size=8))
def test_lines_credits_and_the_recovery_ledger_are_the_oracles_to_the_cent(jobs: list[Job]) -> None:
    rated = rated_of(jobs)

    lines = charge_lines(rated, currency=EUR)
    ledger = recovery_rows(
        lines, PRICES, PLANNED, None, pl.DataFrame(schema=CAPACITY_TOTALS), {}, month="2026-03", currency=EUR
    )  # fmt: skip

    expected = oracle(jobs)
    assert amounts_of(lines) == expected
    assert sum(ledger["recovered"], Decimal(0)) == sum(expected.values(), Decimal(0))
    assert [identity_gap(row) for row in ledger.filter(pl.col("plan") == "build-up").iter_rows(named=True)] == [0]


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(job, min_size=1, max_size=8))
def test_lines_of_summed_usage_at_another_card_are_the_oracles_to_the_cent(jobs: list[Job]) -> None:
    prices, others = (prices_of_month(the_card(card), period=MARCH) for card in (CARD, OTHER_CARD))

    usage = usage_of_lines(rated_of(jobs).lazy(), month="2026-03")

    assert amounts_of(charge_lines(reprice(usage, prices, prices), currency=EUR)) == oracle(jobs)
    lines = charge_lines(reprice(usage, prices, others), currency=EUR)
    assert amounts_of(lines) == oracle(jobs, OTHER_PRICE, OTHER_WEIGHT)


def rated_of(jobs: list[Job]) -> pl.DataFrame:
    numbered = {str(number): each for number, each in enumerate(jobs, start=200)}
    return rated_usage(
        as_holds(jobs),
        ended={number: each[6] for number, each in numbered.items()},
        suspended={number: suspended_seconds(each) for number, each in numbered.items()},
        credit_policies=POLICIES,
    )


def amounts_of(lines: pl.DataFrame) -> dict[tuple[str, ...], Decimal]:
    centre = pl.concat_str("cost_centre", "project", separator=" ")
    named = lines.select("team", centre, "accelerator", "tier", "kind", "amount")
    return {tuple(key): amount for *key, amount in named.iter_rows()}
