"""The whole chain from holds to lines and recovery ledger, against a slow oracle that knows nothing but fractions.

The oracle walks over holds second by second's arithmetic in Python: no frame, no stream, no rounding but one a line.
"""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chargeback.ledger.capacity_totals import CAPACITY_TOTALS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.recovery import recovery_rows
from chargeback.ledger.recovery_identity import identity_gap
from chargeback.pricing.credits import CreditPolicies
from tests.chargeback.ledger.recovery_month import PLANNED, PRICES
from tests.chargeback.worked_month import EUR, rated_usage

PRICE = {
    ("h100-sxm5-80gb", "standard"): "2.385", ("h100-sxm5-80gb", "preemptible"): "1.68",
    ("a100-sxm4-80gb", "standard"): "1.10", ("a100-sxm4-80gb:3g.40gb", "standard"): "0.60",
}  # fmt: skip
OWNERS = {  # account -> team, cost centre and project, part
    "vision-lab": (("Vision", "4711 vis-01", 1),),
    "nlp-lab": (("NLP", "4712 nlp-02", 1),),
    "shared-lab": (("Vision", "4711 shr-04", Fraction(3, 5)), ("NLP", "4712 shr-04", Fraction(2, 5))),
    "misc": (("unattributed", " ", 1),),
}
CAP_HOURS, PREEMPTED_MINUTES = 5, 30
POLICIES = CreditPolicies(platform_fault_cap_hours=CAP_HOURS, preempted_minutes=PREEMPTED_MINUTES)
ZONE = ZoneInfo("Europe/Amsterdam")
MARCH_BEGINS = datetime.combine(date(2026, 3, 1), datetime.min.time(), ZONE).astimezone(UTC)

job = st.tuples(
    st.sampled_from(sorted(OWNERS)),
    st.sampled_from(["standard", "preemptible"]),
    st.sampled_from([("h100-sxm5-80gb", "1/1"), ("h100-sxm5-80gb", "3/8"), ("a100-sxm4-80gb", "1/1"),
                     ("a100-sxm4-80gb:3g.40gb", "3/7")]),
    st.integers(1, 8),
    st.integers(-86_400, 29 * 86_400),
    st.integers(1, 2 * 86_400),
    st.sampled_from(["completed", "platform fault", "preempted", "timeout"]),
)  # fmt: skip
Job = tuple[str, str, tuple[str, str], int, int, int, str]
Key = tuple[str, str, str, str, str]


def oracle(jobs: list[Job]) -> dict[Key, Decimal]:
    """(team, cost centre and project, accelerator, tier, kind) -> amount in euro."""
    quantities: dict[Key, Fraction] = defaultdict(Fraction)
    for account, tier, (accelerator, share), devices, begins, length, cause in jobs:
        ends = begins + length
        if (accelerator, tier) not in PRICE or ends <= 0:
            continue
        held = ends - max(begins, 0)
        unit = Fraction(devices) if ":" in accelerator else Fraction(share) * devices
        for team, centre, part in OWNERS[account]:
            quantities[team, centre, accelerator, tier, "allocation"] += held * unit * part
            if cause == "platform fault":
                forgiven = min(held, CAP_HOURS * 3600)
                quantities[team, centre, accelerator, tier, "credit-platform-fault"] -= forgiven * unit * part
            if cause == "preempted" and tier == "standard":
                forgiven = max(0, min(ends, begins + PREEMPTED_MINUTES * 60) - max(begins, 0))
                quantities[team, centre, accelerator, tier, "credit-preempted"] -= forgiven * unit * part
    amounts: dict[Key, Decimal] = {}
    for key in sorted(quantities):  # allocation before its credits
        amount = _half_even_cents(quantities[key] * Fraction(PRICE[key[2], key[3]]) / 3600)
        if key[4] != "allocation":
            amount = max(amount, -sum(at for other, at in amounts.items() if other[:4] == key[:4]))
        if quantities[key]:
            amounts[key] = amount
    return {key: Decimal(cents) / 100 for key, cents in amounts.items()}


def _half_even_cents(euro: Fraction) -> int:
    floor, rest = divmod(euro * 100, 1)
    return int(floor) + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))


def as_holds(jobs: list[Job]) -> str:
    lines = []
    for number, (account, tier, (accelerator, share), devices, begins, length, _) in enumerate(jobs, start=200):
        start = MARCH_BEGINS + timedelta(seconds=begins)
        stretch = f"{start:%Y-%m-%dT%H:%M:%SZ} {start + timedelta(seconds=length):%Y-%m-%dT%H:%M:%SZ}"
        lines.append(f"{number} {account} u1 {tier} gpu{number} {accelerator} {devices} {share} {stretch}")
    return "\n".join(lines)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(job, min_size=1, max_size=8))
def test_lines_credits_and_the_recovery_ledger_are_the_oracles_to_the_cent(jobs: list[Job]) -> None:
    why = {str(number): each[6] for number, each in enumerate(jobs, start=200)}
    expected = oracle(jobs)

    lines = charge_lines(
        rated_usage(as_holds(jobs), ended=why, suspended={}, credit_policies=POLICIES), currency=EUR
    )  # fmt: skip
    ledger = recovery_rows(
        lines, PRICES, PLANNED, None, pl.DataFrame(schema=CAPACITY_TOTALS), {}, month="2026-03", currency=EUR
    )  # fmt: skip

    centre = pl.concat_str("cost_centre", "project", separator=" ")
    assert {
        tuple(key): amount
        for *key, amount in lines.select("team", centre, "accelerator", "tier", "kind", "amount").iter_rows()
    } == expected
    assert sum(ledger["recovered"], Decimal(0)) == sum(expected.values(), Decimal(0))
    assert [identity_gap(row) for row in ledger.filter(pl.col("plan") == "build-up").iter_rows(named=True)] == [0]
