"""FOCUS rows of runs that ran in a reservation, and by what kind of key the owner of a row was named."""

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.focus_findings import row_findings
from chargeback.ledger.focus_rows import focus_rows
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.ledger.focus_month import focus_month, terms
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import EUR, MARCH, rated_usage, the_card


def in_a_reservation(job: str, reservation: str) -> pl.DataFrame:
    """The worked month in FOCUS's words, one of its jobs in a reservation."""
    is_it = pl.col("job_id") == job
    rated = rated_usage().with_columns(reservation=pl.when(is_it).then(pl.lit(reservation)).otherwise("reservation"))
    lines = charge_lines(rated, currency=EUR)
    prices = prices_of_month(the_card(), period=MARCH)
    return focus_rows(rated, lines, prices, worked_statements(rated=rated, lines=lines), terms=terms())


def test_a_run_in_a_reservation_names_it_and_used_it() -> None:
    rows = in_a_reservation("103", "nlp-q1")

    inside = rows.filter(pl.col("CapacityReservationId").is_not_null())
    assert set(inside["ResourceId"]) == {"slurm/slurm-a/103"}
    assert set(inside["CapacityReservationId"]) == {"slurm/slurm-a/reservation/nlp-q1"}
    assert set(inside["CapacityReservationStatus"]) == {"Used"}
    assert len(inside) == len(rows.filter(ResourceId="slurm/slurm-a/103"))
    assert row_findings(rows.lazy()) == []
    assert FOCUS_COST_AND_USAGE.breaches(rows) == []


def test_a_reservation_without_a_name_is_none() -> None:
    assert in_a_reservation("103", "")["CapacityReservationId"].null_count() == len(focus_month())


def test_a_row_says_by_what_its_owner_was_named() -> None:
    by_team = focus_month().filter(ChargeCategory="Usage").select("SubAccountName", "x_AttributionMethod").unique()

    assert dict(by_team.rows()) == {
        "NLP": "account", "Robotics": "account", "Vision": "account", "unattributed": "unattributed",
    }  # fmt: skip
