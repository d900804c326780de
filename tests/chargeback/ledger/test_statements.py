"""Statement documents: everything a page prints, exact, canonical and the same every time."""

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.capacity_totals import COLUMNS, capacity_totals
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.month_change import month_change
from chargeback.ledger.plain_numbers import decimal_text, grouped, hours_text, plain_amount, plain_price
from chargeback.ledger.statement_document import accelerator_name, canonical_json, card_mark, read_document
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statements import statement_findings
from chargeback.money import Currency
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.uncharged_runs import UNCHARGED
from tests.chargeback.ledger.worked_statements import document_of, worked_statements
from tests.chargeback.worked_month import CARD, EUR, HOLDS, MARCH, rated_usage, the_card, worked_lines
from tests.tables import a_table_of


def test_every_team_of_the_worked_month_has_a_statement_that_equals_its_lines() -> None:
    statements = worked_statements()

    assert STATEMENTS.breaches(statements) == []
    assert statements.select("statement_id", "total_amount", "line_count").rows() == [
        ("GPU-2026-03-nlp-r1", Decimal("1196.15"), 3),
        ("GPU-2026-03-robotics-r1", Decimal("51.98"), 4),
        ("GPU-2026-03-vision-r1", Decimal("240.59"), 3),
        ("GPU-2026-03-unattributed-r1", Decimal("2.20"), 1),
    ]
    assert statement_findings(statements, worked_lines()) == []


def test_a_statement_that_differs_from_its_lines_is_said_in_one_line() -> None:
    lines = worked_lines().filter(pl.col("team") != "Vision")

    (finding,) = statement_findings(worked_statements(), lines)

    assert finding.startswith("team Vision: the statement says 240.5900, its lines add up to 0:")


def test_the_document_holds_each_line_so_that_it_can_be_multiplied_by_hand() -> None:
    nlp = read_document(document_of(worked_statements(), "NLP"))

    assert nlp["total"] == "1196.15"
    assert [
        (line["name"], line["hours"], line["quantity_seconds"], line["price"], line["amount"]) for line in nlp["lines"]
    ] == [
        ("H100 SXM5 80 GB · standard · slurm-a", "480.00", "1728000", "2.385", "1144.80"),
        ("H100 SXM5 80 GB · preemptible · slurm-a", "30.00", "108000", "1.68", "50.40"),
        ("H100 SXM5 80 GB · standard · slurm-a", "0.40", "1440.4", "2.385", "0.95"),
    ]
    for line in nlp["lines"]:
        seconds = Fraction(line["hours"]) * 3600 if line["hours_are_exact"] else Fraction(line["quantity_seconds"])
        assert f"{EUR.round(seconds * Fraction(line['price']) / 3600):.2f}" == line["amount"]


def test_without_telemetry_all_held_hours_are_unmeasured_and_never_idle() -> None:
    held = read_document(document_of(worked_statements(), "NLP"))["held"]

    assert [(state["state"], state["gpu_seconds"]) for state in held["states"]] == [("unmeasured", "9187202/5")]
    assert not held["has_telemetry"]


def test_users_and_jobs_stand_unrounded_in_the_appendix_and_add_up() -> None:
    document = read_document(document_of(worked_statements(appendix_jobs=1), "Vision"))

    jobs = document["jobs"]
    shown = sum(Fraction(row["exact_cost"]) for row in [*jobs["rows"], jobs["further"]])
    exact = sum(Fraction(line["exact_amount"]) for line in document["lines"])
    assert shown == exact == sum(Fraction(row["exact_cost"]) for row in document["users"])
    assert jobs["further_count"] == 0
    assert [row["job_id"] for row in document["largest"]] == ["104", "101", "110", "107"]


def test_jobs_beyond_the_appendix_stand_as_one_row() -> None:
    holds = "\n".join(
        f"{job}  vision-lab  u1  standard  gpu01  h100-sxm5-80gb  1  1/1  2026-03-07T08:00:00Z  "
        f"2026-03-07T{9 + job}:00:00Z"
        for job in range(1, 9)
    )
    rated = rated_usage(holds)

    statements = worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR), appendix_jobs=6)

    jobs = read_document(document_of(statements, "Vision"))["jobs"]
    assert [row["job_id"] for row in jobs["rows"]] == ["8", "7", "6", "5", "4", "3"]
    assert (jobs["further_count"], jobs["further"]["hours"], jobs["total"]["hours"]) == (2, "5.00", "44.00")


def test_what_was_not_charged_is_listed_with_its_reason() -> None:
    card = CARD.replace(b"    preemptible: {price: 1.68, unit: GPU-hour}\n", b"")
    rated = rated_usage(card=card)

    statements = worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR))

    assert read_document(document_of(statements, "NLP"))["not_charged"] == [
        {"reason": "never started", "job_count": 1, "jobs": ["slurm-a/111"], "hours": "0.00",
         "unit": "hours of wall time"},
        {"reason": "the rate card has no price for h100-sxm5-80gb, preemptible", "job_count": 1,
         "jobs": ["slurm-a/102"], "hours": "30.00", "unit": "GPU-hours"},
    ]  # fmt: skip


def test_a_team_that_would_only_have_borne_an_unknown_count_still_gets_a_statement() -> None:
    row = ("Audio", "slurm-a", "9@x", "9", "j", "audio", "u9", "GPU count unknown", 7200)

    statements = worked_statements(uncharged=pl.DataFrame([row], schema=UNCHARGED, orient="row"))

    audio = read_document(document_of(statements, "Audio"))
    assert (audio["total"], audio["lines"], audio["not_charged"][0]["hours"]) == ("0.00", [], "2.00")


def test_a_teams_statement_names_the_suspense_and_the_suspense_has_its_own() -> None:
    statements = worked_statements()

    for team in ("Vision", "unattributed"):
        suspense = read_document(document_of(statements, team))["suspense"]
        assert (suspense["hours"], suspense["accounts"][0]["account"], suspense["accounts"][0]["users"]) == (
            "2.00", "misc", ["u5"],
        )  # fmt: skip


def test_the_change_against_last_month_is_split_into_hours_and_rate_which_add_up() -> None:
    lines = worked_lines().filter(pl.col("team") == "NLP")
    cheaper = charge_lines(rated_usage(card=CARD.replace(b"2.385", b"2.000")), currency=EUR)
    before = cheaper.filter((pl.col("team") == "NLP") & (pl.col("tier") == "standard"))

    change = month_change(lines, before, currency=EUR)

    assert change.previous_total == Decimal("960.80")
    assert change.difference == change.hours_effect + change.rate_effect == Decimal("235.35")
    assert change.rate_effect == EUR.round(Fraction("480.400111111111111111") * Fraction("0.385"))
    document = read_document(document_of(worked_statements(previous=cheaper), "NLP"))
    assert document["change"]["has_previous"]


def test_a_first_month_says_that_there_is_nothing_to_compare() -> None:
    change = read_document(document_of(worked_statements(), "NLP"))["change"]

    assert change == {"previous_month": "2026-02", "has_previous": False}


def test_equal_contents_make_equal_documents_whatever_the_order_of_rows() -> None:
    rated = rated_usage().sample(fraction=1, shuffle=True, seed=3)

    statements = worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR).reverse())

    assert statements.equals(worked_statements())


def test_a_document_holds_no_float_and_refuses_one() -> None:
    for document in worked_statements()["document"]:
        json.loads(document, parse_float=lambda text: pytest.fail(f"{text} is a float"))

    with pytest.raises(TypeError, match="holds texts and whole numbers"):
        canonical_json({"total": 1.5})


def test_a_document_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 1"):
        read_document('{"format":1}')


def test_the_card_is_named_as_the_month_priced_with_it() -> None:
    mark = card_mark(prices_of_month(the_card(), period=MARCH))

    assert mark is not None
    assert (mark.version, mark.is_signed, mark.object_key) == ("2026.1", False, "rate-cards/2026.1.yaml")
    assert card_mark(prices_of_month(the_card(), period=MARCH).clear()) is None


def test_capacity_is_added_up_exactly_per_accelerator_over_different_denominators() -> None:
    capacity = a_table_of(
        CAPACITY,
        """
        host   accelerator  units_per_gpu  capacity_unit_seconds  held_unit_seconds  unallocated_unit_seconds
        gpu01  a100         7              25200                  10800              14400
        gpu02  a100         8              28800                  3600               25200
        """,
        cluster="slurm-a", day="2026-03-01", inventory="node record", **{
            f"{state}_unit_seconds": 0 for state in COLUMNS if state not in ("capacity", "held", "unallocated")
        },
    )  # fmt: skip

    totals = capacity_totals(capacity.lazy()).row(0, named=True)

    assert (totals["capacity"], totals["held"], totals["unallocated"]) == ("7200", "13950/7", "36450/7")
    assert totals["blocked"] == "0"


def test_no_cell_of_a_statements_csv_can_run_as_a_formula_and_numbers_stay_numbers() -> None:
    evil = "=cmd|'/C calc'!A0"
    rated = rated_usage().with_columns(
        team=pl.when(pl.col("team") == "NLP").then(pl.lit(evil)).otherwise("team"), project=pl.lit("-2+3"),
        cost_centre=pl.lit("+47, \"x\"\r\n"),
    )  # fmt: skip
    statements = worked_statements(rated=rated, lines=charge_lines(rated, currency=EUR))

    content = render_lines_csv(document_of(statements, evil))

    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [(row["team"], row["project"], row["cost_centre"]) for row in rows] == [
        ("'" + evil, "'-2+3", '\'+47, "x"\r\n')
    ] * len(rows)
    assert [Decimal(row["amount"]) for row in rows] == [Decimal("1145.75"), Decimal("50.40")]
    assert content.endswith(b"\r\n")
    assert rows[-1]["statement_id"] == "GPU-2026-03-cmd-c-calc-a0-r1"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_every_sign_that_starts_a_formula_is_neutralised(start: str) -> None:
    lines = worked_lines().filter(pl.col("team") == "unattributed")
    rated = rated_usage().filter(pl.col("team") == "unattributed")

    statements = worked_statements(
        rated=rated, lines=lines.with_columns(project=pl.lit(f"{start}1")).select(TEAM_CHARGES.column_names)
    )

    (row,) = csv.DictReader(io.StringIO(render_lines_csv(document_of(statements, "unattributed")).decode(), newline=""))
    assert row["project"] == f"'{start}1"


def test_numbers_are_written_plainly() -> None:
    assert plain_amount(Decimal("1196.1500"), EUR) == "1196.15"
    assert plain_amount(Decimal("1196.0000"), Currency("JPY")) == "1196"
    assert plain_amount(Decimal("0E-4"), Currency("KWD")) == "0.000"
    assert (plain_price(Decimal("2.385000000000")), plain_price(Decimal("1.1"))) == ("2.385", "1.10")
    assert (hours_text(Fraction(7202, 5)), decimal_text(Fraction(-1, 200), decimals=2)) == ("0.40", "0.00")
    assert (grouped("1234567.80"), grouped("-3.00"), decimal_text(Fraction(5, 2), decimals=0)) == (
        "1,234,567.80", "−3.00", "2",
    )  # fmt: skip
    assert accelerator_name("a100-sxm4-80gb:3g.40gb") == "A100 SXM4 80 GB, slice 3g.40gb"
    with pytest.raises(ValueError, match="finer than one minor unit"):
        plain_amount(Decimal("0.001"), EUR)


def test_the_worked_months_holds_are_all_in_the_statements() -> None:
    jobs = {line.split()[0] for line in HOLDS.strip().splitlines()}

    stated = {
        row["job_id"] for document in worked_statements()["document"] for row in read_document(document)["jobs"]["rows"]
    }

    assert stated == jobs
