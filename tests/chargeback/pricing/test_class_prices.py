"""What an owner's customer class pays: the class's price, at once on every line, and never another's."""

from decimal import Decimal

import polars as pl

from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.line_prices import line_price_findings
from chargeback.pricing.class_prices import class_prices, with_class_prices
from chargeback.pricing.ownership import ownership_findings, ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rating import rate_usage
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import CARD, EUR, MARCH, the_card, usage_of

CLASSES = b"customer_classes:\n  internal: {kind: internal}\n  partners: {kind: external, mark_up: 25 %}\n"
ONE_HOUR = "1  ACCOUNT  u1  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-09T08:00:00Z  2026-03-09T09:00:00Z"


def prices(card: bytes = CARD + CLASSES) -> pl.DataFrame:
    return prices_of_month(the_card(card), period=MARCH)


def lines_of(customer_class: str, card: pl.DataFrame) -> pl.DataFrame:
    content = f"{HEADER.strip()},customer_class\nslurm-a,account,acme,p,Acme,4711,C2,100,2026-03-01,,{customer_class}\n"
    rows, refusals = read_ownership(content.encode(), object_key="o.csv")
    assert refusals == []
    hours, runs = usage_of(ONE_HOUR.replace("ACCOUNT", "acme"))
    owners = ownership_of_month(rows, period=MARCH)
    return charge_lines(rate_usage(hours.lazy(), runs.lazy(), owners, card, period=MARCH, currency="EUR"), currency=EUR)


def test_a_team_of_a_class_pays_the_classs_price_and_others_what_is_stated() -> None:
    card = prices()

    partner, plain = lines_of("partners", card), lines_of("", card)

    assert partner.select("price", "amount", "customer_class").rows() == [
        (Decimal("2.9812"), Decimal("2.98"), "partners")
    ]
    assert plain.select("price", "amount").rows() == [(Decimal("2.385"), Decimal("2.38"))]
    assert line_price_findings(partner, card) == line_price_findings(plain, card) == []
    assert RATE_CARD.breaches(card) == []


def test_a_line_at_another_price_than_its_classs_is_a_finding() -> None:
    card = prices()

    told = line_price_findings(lines_of("partners", card).with_columns(customer_class=pl.lit("internal")), card)

    assert [(expected, observed) for _, expected, observed in told] == [
        ("price 2.385", "2.9812"), ("effective price 2.385", "7453/2500 per hour"),
    ]  # fmt: skip


def test_a_class_that_the_card_does_not_know_has_no_price_and_no_line() -> None:
    assert lines_of("federal", prices()).is_empty()


def test_a_card_without_classes_asks_everybody_for_what_it_states() -> None:
    assert class_prices(prices(CARD)).is_empty()
    assert lines_of("partners", prices(CARD))["amount"].to_list() == [Decimal("2.38")]


def test_what_has_no_price_gets_none_from_its_class() -> None:
    rows = pl.DataFrame(
        {"accelerator": ["h100-sxm5-80gb"], "tier": ["standard"], "customer_class": ["partners"], "price": [None]},
        schema_overrides={"price": RATE_CARD.schema["price"]},
    )

    assert with_class_prices(rows, prices())["price"].to_list() == [None]


def test_an_owner_of_two_classes_in_one_month_is_refused_and_from_month_to_month_is_not() -> None:
    def findings(first_until: str, then_from: str) -> list[str]:
        content = (
            f"{HEADER.strip()},customer_class\nslurm-a,account,acme,p,Acme,4711,C2,100,2026-01-01,{first_until},internal\n"
            f"slurm-a,account,acme,p,Acme,4711,C2,100,{then_from},,partners\n"
        )
        rows, refusals = read_ownership(content.encode(), object_key="o.csv")
        assert refusals == []
        return ownership_findings(rows)

    assert findings("2026-03-01", "2026-03-01") == []
    (told,) = findings("2026-03-15", "2026-03-15")
    assert told == (
        "ownership lines 2 and 3: Acme is of class 'internal' and 'partners' in one month: a class changes with a "
        "month, for all rows of an owner"
    )
