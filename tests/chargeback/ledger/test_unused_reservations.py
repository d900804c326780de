"""A reservation that nobody used stands among the losses of its payer, by its size, on every page."""

import json

import polars as pl

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from chargeback.ledger.unused_reservations import unused_reservations
from tests.chargeback.ledger.measured_usage import measured_usage
from tests.chargeback.ledger.test_statement_page import Outline
from tests.chargeback.ledger.worked_statements import document_of, worked_statements
from tests.chargeback.pricing.test_reserved_unused import PAYER, THREE_DAYS, rated
from tests.chargeback.worked_month import EUR


def both() -> pl.DataFrame:
    """What was held, and what `vision-q1` kept unused: 61,600 GPU-seconds at 2.00, paid by Vision."""
    return pl.concat([measured_usage(), rated(THREE_DAYS, PAYER).filter(pl.col("team") == "Vision")])


def test_what_a_reservation_kept_is_added_up_over_its_days() -> None:
    found = unused_reservations(both())

    assert [(key, str(each.gpu_seconds), each.first_day, each.last_day) for key, each in found.items()] == [
        (("slurm-a", "vision-q1"), "61600", "2026-03-09", "2026-03-10")
    ]


def test_it_stands_among_the_losses_by_its_size_and_in_no_sum_of_held_hours() -> None:
    usage = both()
    document = document_of(worked_statements(rated=usage, lines=charge_lines(usage, currency=EUR)), "Vision")
    without = document_of(worked_statements(rated=measured_usage(), lines=charge_lines(measured_usage(), currency=EUR)),
                          "Vision")  # fmt: skip

    waste, before = json.loads(document)["waste"], json.loads(without)["waste"]

    assert [(row["workload_name"], row["what"], row["hours"], row["about"]) for row in waste["rows"][:4]] == [
        ("sweep-a", "starved", "1000.00", "2000.00"), ("Notebook/n9", "held and idle", "410.00", "820.00"),
        ("sweep-a", "held and idle", "40.00", "80.00"), ("vision-q1", "reserved, unused", "17.11", "34.22"),
    ]  # fmt: skip
    assert waste["hours"] == before["hours"]
    text = Outline(render_page(document)).text
    assert "vision-q1 · reserved, unused nobody held it: release it, or reserve less" in text
    assert "9 Mar to 10 Mar 17.11 34.22" in text
    assert "beside what was reserved and nobody held" in text
    assert "beside what was reserved" not in Outline(render_page(without)).text


def test_a_payer_that_held_nothing_is_told_to_release_it_on_paper_too() -> None:
    usage = rated(THREE_DAYS, PAYER)
    document = document_of(worked_statements(rated=usage, lines=charge_lines(usage, currency=EUR)), "Vision")

    assert json.loads(document)["waste"]["rows"][0]["kind"] == "reserved-unused"
    assert render_pdf(document).startswith(b"%PDF")
