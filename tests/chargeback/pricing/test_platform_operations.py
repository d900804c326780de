"""What the platform itself runs: held and shown, charged to nobody, on nobody's statement."""

import json

import polars as pl
import pytest

from chargeback.ledger.charge_findings import completeness_findings
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.estate_page import render_summary
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rating import rate_usage, unpriced_usage
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import EUR, MARCH, the_card, usage_of

HOLDS = """
    1  burnin  root  standard  gpu01  h100-sxm5-80gb  8  1/1  2026-03-09T08:00:00Z  2026-03-09T10:00:00Z
    2  lab     u1    standard  gpu02  h100-sxm5-80gb  1  1/1  2026-03-09T08:00:00Z  2026-03-09T09:00:00Z
"""
LAB = "slurm-a,account,lab,p,Lab,4711,C1,100,2026-03-01,"
BY_OWNERSHIP = "slurm-a,account,burnin,p,Platform Operations,9000,C1,100,2026-03-01,"


def rated(*owners: str, platform_operations: tuple[str, ...] = (), qos: str = "normal") -> pl.DataFrame:
    rows, refusals = read_ownership("\n".join([HEADER.strip(), *owners]).encode(), object_key="o.csv")
    assert refusals == []
    hours, runs = usage_of(HOLDS)
    return rate_usage(
        hours.lazy(),
        runs.with_columns(
            qos=pl.when(pl.col("account") == "burnin").then(pl.lit(qos)).otherwise(pl.lit("normal"))
        ).lazy(),
        ownership_of_month(rows, period=MARCH),
        prices_of_month(the_card(), period=MARCH),
        period=MARCH,
        currency="EUR",
        platform_operations=platform_operations,
    )


@pytest.mark.parametrize(
    ("owners", "settings", "qos"),
    [((LAB,), ("account:burnin",), "normal"), ((LAB,), ("qos:health",), "health"), ((LAB, BY_OWNERSHIP), (), "normal")],
    ids=["an account of the settings", "a QOS of the settings", "an account of the ownership file"],
)
def test_burn_in_is_held_and_on_no_line(owners: tuple[str, ...], settings: tuple[str, ...], qos: str) -> None:
    rows = rated(*owners, platform_operations=settings, qos=qos)

    lines = charge_lines(rows, currency=EUR)

    own = rows.filter(pl.col("kind") == "platform-operations")
    assert own.select("gpu_seconds_numerator", "price").rows() == [(57_600, None)]
    assert lines["team"].to_list() == ["Lab"]
    assert completeness_findings(lines, rows) == []
    assert unpriced_usage(rows).is_empty()


def test_the_estates_page_shows_it_and_nobodys_statement_does() -> None:
    rows = rated(LAB, platform_operations=("account:burnin",))
    statements = worked_statements(rated=rows, lines=charge_lines(rows, currency=EUR))

    estate = json.loads(statements["document"][0])["estate"]
    page = render_summary(list(statements["document"]), month="2026-03").decode()

    assert "platform-operations" not in statements["team"].to_list()
    assert estate["operations"]["rows"] == [
        {"cluster": "slurm-a", "account": "burnin", "run_count": 1, "hours": "16.00"}
    ]
    assert "What the platform itself ran" in page
