"""Who a simulated estate is charged to: by account and namespace as finance wrote it, whatever labels users wear."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.ownership import ownership_findings, ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.pricing.rating import rate_usage
from chargeback.simulation.estate_plan import BILLING_ZONE, CLUSTERS, KUBERNETES
from tests.chargeback.simulation.simulated import small_estate
from tests.chargeback.simulation.simulated_days import measured, tables_of

OCTOBER = BillingPeriod("2026-10", ZoneInfo(BILLING_ZONE))


def _handed_in(source: str) -> bytes:
    return next(made.content for made in small_estate().objects if made.source == source)


def _the_card() -> RateCard:
    card = read_rate_card(_handed_in("rate-cards"), object_key="rate-cards/simulated.yaml")
    assert isinstance(card, RateCard)
    return card


@cache
def _rated() -> pl.DataFrame:
    """The month of the small estate, which lies within October."""
    estate = small_estate()
    days = [(cluster, day) for cluster in CLUSTERS for day in estate.of(cluster)]
    rows, _ = read_ownership(_handed_in("ownership"), object_key="ownership/simulated.csv")
    return rate_usage(
        pl.concat(measured(estate, *each).attribution for each in days).lazy(),
        pl.concat(tables_of(estate, *each).runs for each in days).lazy(),
        ownership_of_month(rows, period=OCTOBER),
        prices_of_month(_the_card(), period=OCTOBER),
        period=OCTOBER,
        currency="EUR",
        unknown_accounts=("root", "default"),
        precedence=("label", "queue", "namespace", "account", "user"),
    )


def test_what_people_hand_in_is_accepted_as_anybodys_would_be() -> None:
    rows, refusals = read_ownership(_handed_in("ownership"), object_key="ownership/simulated.csv")

    assert refusals == []
    assert ownership_findings(rows) == []
    assert set(rows["cost_centre"]) == {"4711", "4712", "4713"}
    assert len(set(rows["team"])) == 6


def test_the_card_prices_every_accelerator_slice_and_tier_that_was_held() -> None:
    assert _rated().filter(pl.col("price").is_null()).is_empty()


def test_every_team_and_cost_centre_is_charged_for_exactly_what_it_held() -> None:
    found: dict[str, Fraction] = defaultdict(Fraction)
    for row in _rated().iter_rows(named=True):
        key = "|".join((row["team"], row["cost_centre"], row["accelerator"], row["tier"]))
        found[key] += Fraction(row["gpu_seconds_numerator"], row["gpu_seconds_denominator"])

    true: dict[str, Fraction] = defaultdict(Fraction)
    for cluster in CLUSTERS:
        for of_day in small_estate().of(cluster).values():
            for key, text in of_day["owners"].items():
                true[key] += Fraction(text)
    assert found == true


def test_what_nobody_answers_for_is_unattributed_to_the_second() -> None:
    nobody = _rated().filter(pl.col("team") == "unattributed")
    pairs = nobody.select("gpu_seconds_numerator", "gpu_seconds_denominator").rows()

    true = [Fraction(of_day["unattributed"]) for cluster in CLUSTERS for of_day in small_estate().of(cluster).values()]
    assert sum((Fraction(*pair) for pair in pairs), Fraction(0)) == sum(true) > 0
    assert set(nobody["account"]) == {"legacy", "sandbox"}


def test_a_pod_that_wears_another_teams_label_is_charged_to_the_team_of_its_namespace() -> None:
    estate = small_estate()
    runs = pl.concat(tables_of(estate, KUBERNETES, day).runs for day in estate.of(KUBERNETES))
    mislabelled = runs.filter(pl.col("account") == "team-climate", pl.col("labels").str.contains('"team":"nlp"'))

    assert set(mislabelled["job_name"].str.contains("mislabelled")) == {True}
    assert set(_rated().filter(pl.col("run").is_in(mislabelled["run"].implode()))["team"]) == {"Climate"}
