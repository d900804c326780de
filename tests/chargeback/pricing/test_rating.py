"""Rated usage: who bears which quantity at which price; nothing is lost and nothing is guessed."""

import json
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.charges import charge_lines
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import read_rate_card
from chargeback.pricing.rating import rate_usage, unpriced_usage
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import CARD, EUR, HOLDS, MARCH, rated_usage, the_card, usage_of
from tests.tables import CASES, shared_file

HOUR = "2026-03-07T08:00:00Z  2026-03-07T09:00:00Z"


def rate(
    holds: str,
    *owners: str,
    card: bytes = CARD,
    running: tuple[str, ...] = (),
    precedence: tuple[str, ...] = ("account", "user"),
    wckey: str | None = None,
    reservation: str | None = None,
) -> pl.DataFrame:
    attribution, runs = usage_of(holds, running=running)
    rows, refusals = read_ownership((HEADER + "\n".join(owners)).encode(), object_key="o")
    assert refusals == []
    return rate_usage(
        attribution.lazy(),
        runs.with_columns(wckey=pl.lit(wckey, pl.String()), reservation=pl.lit(reservation, pl.String())).lazy(),
        ownership_of_month(rows, period=MARCH),
        prices_of_month(the_card(card), period=MARCH),
        period=MARCH,
        currency="EUR",
        unknown_accounts=("root", "default"),
        precedence=precedence,
    )


def seconds_by(rated: pl.DataFrame, *columns: str, stem: str = "quantity") -> dict[object, Fraction]:
    sums: dict[object, Fraction] = defaultdict(Fraction)
    for row in rated.iter_rows(named=True):
        key = row[columns[0]] if len(columns) == 1 else tuple(row[column] for column in columns)
        sums[key] += Fraction(row[f"{stem}_numerator"], row[f"{stem}_denominator"])
    return dict(sums)


def test_the_worked_month_conserves_the_physical_gpu_seconds_that_were_held() -> None:
    expected = json.loads(shared_file("worked-month", "expected.json").read_text())["conservation_gpu_seconds"]

    rated = rated_usage()

    assert RATED_USAGE.breaches(rated) == []
    assert seconds_by(rated, "accelerator", stem="gpu_seconds") == {
        accelerator: Fraction(states["held"]) for accelerator, states in expected.items()
    }


def test_a_run_carries_the_reservation_that_it_ran_in_and_what_named_its_owner() -> None:
    rated = rate(f"1  a  u1  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}",
                 "slurm-a,account,a,p,A,1,C1,50,2026-01-01,", reservation="a-week")  # fmt: skip

    assert rated.select("team", "reservation", "owner_kind").sort("team").rows() == [
        ("A", "a-week", "account"), ("unattributed", "a-week", "account"),
    ]  # fmt: skip


def test_a_hold_over_a_change_of_cost_centre_is_split_at_local_midnight() -> None:
    rated = rated_usage().filter(pl.col("accelerator") == "a100-sxm4-80gb:3g.40gb")

    assert rated.select("day", "cost_centre", "quantity_numerator", "quantity_unit").rows() == [
        ("2026-03-20", "4713", 82_800, "slice-second"),
        ("2026-03-21", "4714", 3_600, "slice-second"),
    ]


def test_the_account_decides_before_the_user_and_nobody_is_a_named_row() -> None:
    holds = f"""
        1  lab   ana  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
        2  misc  ana  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
        3  misc  bob  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
        4  root  eve  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
    """
    owners = (
        "slurm-a,account,lab,p,Lab,1,C1,100,2026-01-01,",
        "slurm-a,account,root,p,Admins,3,C1,100,2026-01-01,",
        "slurm-a,user,ana,p,Ana,2,C1,100,2026-01-01,",
    )

    rated = rate(holds, *owners)

    assert dict(rated.select("job_id", "team").iter_rows()) == {
        "1": "Lab", "2": "Ana", "3": "unattributed", "4": "unattributed",
    }  # fmt: skip
    assert set(rated.filter(pl.col("team") == "unattributed")["cost_centre"]) == {""}


def test_a_label_that_users_write_moves_nothing_unless_the_settings_let_it_and_never_over_an_account() -> None:
    holds = f"""
        1  lab   ana  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
        2  misc  bob  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}
    """
    owners = (
        "slurm-a,account,lab,p,Lab,1,C1,100,2026-01-01,",
        "slurm-a,wckey,other,p,Other,2,C1,100,2026-01-01,",
    )

    by_default = rate(holds, *owners, wckey="other")
    by_policy = rate(holds, *owners, wckey="other", precedence=("account", "user", "wckey"))

    assert by_default["team"].to_list() == ["Lab", "unattributed"]
    assert by_policy["team"].to_list() == ["Lab", "Other"]


def test_what_ownership_leaves_below_a_hundred_per_cent_is_unattributed() -> None:
    holds = f"1  lab  ana  standard  gpu01  h100-sxm5-80gb  1  1/1  {HOUR}"
    thirds = [f"slurm-a,account,lab,p,T{n},{n},C1,33.333,2026-01-01," for n in range(3)]

    rated = rate(holds, *thirds)

    assert seconds_by(rated, "team") == {
        **{f"T{n}": Fraction(33333, 100000) * 3600 for n in range(3)},
        "unattributed": Fraction(1, 100000) * 3600,
    }


def test_a_slice_costs_its_slice_rate_and_an_unmapped_type_is_never_priced_as_a_whole_gpu() -> None:  # case S06
    assert "1.90" in json.loads((CASES / "S06" / "expected.json").read_text())["expected"]
    hours = "2026-03-03T09:00:00Z  2026-03-03T11:00:00Z"
    holds = f"8117657  lab-a  u1  standard  gpu02  a100_3g.20gb  1  3/7  {hours}"
    head = CARD.decode().partition("accelerators:")[0] + "accelerators:\n"
    whole = "  a100:\n    standard: {price: 2.00, unit: GPU-hour}\n"
    mapped = head + whole + "  a100_3g.20gb:\n    standard: {price: 0.95, unit: slice-hour}\n"
    wrong_unit = head + "  a100_3g.20gb:\n    standard: {price: 2.00, unit: GPU-hour}\n"

    priced = charge_lines(rate(holds, card=mapped.encode()), currency=EUR)
    unmapped = [rate(holds, card=text.encode()) for text in (head + whole, wrong_unit)]

    assert priced.select("amount", "quantity_unit").rows() == [(Decimal("1.90"), "slice-second")]
    for rated in unmapped:
        assert rated["price"].to_list() == [None]
        assert unpriced_usage(rated).rows() == [("a100_3g.20gb", "standard", "slice-second", 7200, 1)]
        assert len(charge_lines(rated, currency=EUR)) == 0


def test_a_weighed_slice_is_charged_in_gpu_seconds_times_its_weight_and_held_in_its_share() -> None:
    card = CARD.replace(b"        standard: {price: 0.60, unit: slice-hour}", b"        billing_weight: 4/8")

    rated = rated_usage(card=card).filter(pl.col("sharing") == "mig")

    assert seconds_by(rated, "quantity_unit") == {"GPU-second": Fraction(86_400, 2)}
    assert seconds_by(rated, "quantity_unit", stem="gpu_seconds") == {"GPU-second": Fraction(86_400 * 3, 7)}
    assert set(rated["price"]) == {Decimal("1.10")}


def test_shards_are_charged_by_their_share_of_a_gpu() -> None:
    holds = f"1  lab  ana  standard  gpu01  h100-sxm5-80gb  3  1/8  {HOUR}"

    rated = rate(holds)

    assert rated.select("quantity_numerator", "quantity_denominator", "quantity_unit").rows() == [
        (1350, 1, "GPU-second")
    ]


def test_a_tier_without_a_price_is_a_finding_and_keeps_its_hours() -> None:
    rated = rate(f"1  lab  ana  reserved  gpu01  h100-sxm5-80gb  2  1/1  {HOUR}")

    assert unpriced_usage(rated).rows() == [("h100-sxm5-80gb", "reserved", "GPU-second", 7200, 1)]
    assert rated["card_version"].to_list() == [None]


def test_only_the_newest_day_of_a_run_that_goes_on_is_marked_as_running() -> None:
    holds = "1  lab  ana  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-07T08:00:00Z  2026-03-09T09:00:00Z"

    rated = rate(holds, running=("1",))

    assert rated.select("day", "is_running").rows() == [
        ("2026-03-07", False), ("2026-03-08", False), ("2026-03-09", True),
    ]  # fmt: skip


def test_a_host_that_was_configured_anew_within_a_day_is_added_exactly() -> None:
    holds = f"1  lab  ana  standard  gpu01  h100-sxm5-80gb  1  1/8  {HOUR}"
    attribution, runs = usage_of(holds)
    later = attribution.with_columns(
        hour_start=pl.col("hour_start").dt.offset_by("1h"), units_per_gpu=pl.lit(10, pl.Int64)
    )

    rated = rate_usage(
        pl.concat([attribution, later]).lazy(), runs.lazy(), ownership_of_month(read_ownership(
            HEADER.encode(), object_key="o")[0], period=MARCH), prices_of_month(the_card(), period=MARCH),
        period=MARCH, currency="EUR",
    )  # fmt: skip

    assert seconds_by(rated, "team") == {"unattributed": Fraction(3600, 8) + Fraction(3600, 10)}


def test_a_hold_whose_run_is_lost_is_our_own_fault_and_raises() -> None:
    attribution, runs = usage_of(HOLDS)

    with pytest.raises(ValueError, match=r"attribution holds 1 run-days that runs does not have.*108@"):
        rate_usage(
            attribution.lazy(), runs.filter(pl.col("job_id") != "108").lazy(),
            ownership_of_month(read_ownership(HEADER.encode(), object_key="o")[0], period=MARCH),
            prices_of_month(the_card(), period=MARCH), period=MARCH, currency="EUR",
        )  # fmt: skip


@given(
    seconds=st.integers(1, 86_400 * 3),
    devices=st.integers(1, 10_000),
    units=st.integers(1, 100),
    percents=st.lists(st.integers(1, 33_333_333), min_size=1, max_size=3),
    seed=st.integers(0, 1000),
)
@settings(max_examples=25, deadline=None)
def test_owners_shares_and_days_conserve_every_second_and_the_order_of_rows_changes_nothing(
    seconds: int, devices: int, units: int, percents: list[int], seed: int
) -> None:
    until = (
        f"2026-03-{10 + (8 * 3600 + seconds) // 86400:02d}T"
        f"{(8 * 3600 + seconds) % 86400 // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"
    )
    holds = f"1  lab  ana  standard  gpu01  h100-sxm5-80gb  {devices}  1/{units}  2026-03-10T08:00:00Z  {until}"
    attribution, runs = usage_of(holds)
    owners = [
        f"slurm-a,account,lab,p,T{n},{n},C1,{part // 10**6}.{part % 10**6:06d},2026-01-01,"
        for n, part in enumerate(percents)
    ]
    rows, refusals = read_ownership((HEADER + "\n".join(owners)).encode(), object_key="o")
    prices = prices_of_month(the_card(), period=MARCH)
    ownership = ownership_of_month(rows, period=MARCH)

    rated, shuffled = (
        rate_usage(a.lazy(), runs.lazy(), ownership, prices, period=MARCH, currency="EUR")
        for a in (attribution, attribution.sample(fraction=1, shuffle=True, seed=seed))
    )

    assert refusals == []
    assert sum(seconds_by(rated, "team", stem="gpu_seconds").values()) == Fraction(seconds * devices, units)
    assert rated.equals(shuffled)


def test_a_card_reader_never_returns_a_float() -> None:
    card = read_rate_card(CARD, object_key="k")

    assert all(isinstance(price.price, Decimal) for price in card.prices)  # type: ignore[union-attr]
