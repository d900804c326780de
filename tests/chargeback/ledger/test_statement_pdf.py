"""Statements on paper: the same figures as the page, the same bytes everywhere, and nothing in them is markup."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from pypdf import PdfReader

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.statement_pdf import render_pdf
from tests.chargeback.ledger.worked_statements import (
    document_of,
    forgiven_statements,
    measured_statements,
    worked_statements,
)
from tests.chargeback.worked_month import EUR, rated_usage

EVIL = '#panic("x") *bold* $ @ref <label> [ \\ "'


def text_of(pdf: bytes, *, first_page_only: bool = False) -> str:
    """What a person reads, blanks and line ends as one blank."""
    pages = PdfReader(io.BytesIO(pdf)).pages
    return " ".join(" ".join(page.extract_text() for page in (pages[:1] if first_page_only else pages)).split())


def paper_of(team: str, **changes: object) -> bytes:
    return render_pdf(document_of(worked_statements(**changes), team))  # type: ignore[arg-type]


def test_the_first_page_says_what_is_paid_for_what_and_why() -> None:
    text = text_of(paper_of("NLP"), first_page_only=True)

    for said in (
        "GPU statement · Team NLP", "March 2026 · cost centre 4712 · statement GPU-2026-03-nlp-r1", "PARALLEL MONTH",
        "NOT CHARGED", "Would be charged, net of tax", "1,196.15 EUR", "There is no statement for February 2026",
        "480.00 2.385 1,144.80", "exactly 1,440.4 s", "unmeasured, not idle", "1 job: never started", "on misc",
        "2026.1 (unsigned", "in quarantine", "chargeback explain GPU-2026-03-nlp-",
        "write to gpu-billing@example.org", "page 1 of 2",
    ):  # fmt: skip
        assert said in text, said


def test_the_first_page_says_what_the_held_hours_did_and_what_to_do_first() -> None:
    text = text_of(render_pdf(document_of(measured_statements(), "Vision")), first_page_only=True)

    for said in (
        "busy 1,480.00 GPU-hours (48.8 %)", "4.09 EUR per active GPU-hour", "telemetry saw 97.2 % of the held hours",
        "sweep-a · starved", "1,000.00 of 2,000.00 2,000.00", "Notebook/n9 · held and idle", "410.00 of 430.00 820.00",
    ):  # fmt: skip
        assert said in text, said


def test_the_appendix_shows_how_each_line_is_made_and_every_job_unrounded() -> None:
    text = text_of(paper_of("NLP"))

    for said in ("= 0.954265, rounded once, half to even: 0.95 EUR", "Total, unrounded", "suspended time", "sha256"):
        assert said in text, said


def test_what_was_forgiven_stands_with_its_reason_and_run() -> None:
    text = text_of(render_pdf(document_of(forgiven_statements(), "Vision")), first_page_only=True)

    for said in (
        "134.99 EUR", "Charges 152.60 240.59", "Credits, borne by the platform −105.60", "Total 134.99",
        "What was forgiven, and why", "job 104 on slurm-a: the platform failed under it", "−96.00 1.10 −105.60",
    ):  # fmt: skip
        assert said in text, said


def test_the_change_against_last_month_adds_up_where_only_last_month_had_credits() -> None:
    statement = json.loads(document_of(worked_statements(), "Vision"))
    statement["change"] = {
        "has_previous": True, "previous_month": "2026-02", "previous_total": "134.99", "difference": "105.60",
        "hours_effect": "0.00", "rate_effect": "0.00", "credits_effect": "105.60",
    }  # fmt: skip

    text = text_of(render_pdf(json.dumps(statement)), first_page_only=True)

    assert "difference +105.60 because of hours 0.00 · rate 0.00 · credits +105.60" in text


def test_a_credit_that_is_held_to_its_charge_says_why_its_cents_do_not_follow() -> None:
    statement = json.loads(document_of(forgiven_statements(), "Vision"))
    for line in statement["lines"]:
        line["is_held_to_charge"] = line["kind"] != "allocation"

    text = text_of(render_pdf(json.dumps(statement)))

    assert text.count("which is what was left of its charge") == 1


def test_an_enforced_month_bears_no_watermark() -> None:
    text = text_of(paper_of("NLP", mode="enforced"))

    assert "Charged, net of tax" in text
    assert "NOT CHARGED" not in text
    assert "PARALLEL" not in text


def test_the_suspense_is_addressed_to_whoever_clears_it() -> None:
    text = text_of(paper_of("unattributed"), first_page_only=True)

    assert "GPU statement · Unattributed hours" in text
    assert "In suspense, net of tax" in text


def test_names_that_look_like_markup_are_printed_as_they_are() -> None:
    rated = rated_usage().with_columns(
        team=pl.when(pl.col("team") == "NLP").then(pl.lit(EVIL)).otherwise("team"), job_name=pl.lit(EVIL)
    )
    pdf = paper_of(EVIL, rated=rated, lines=charge_lines(rated, currency=EUR))

    assert f"Team {EVIL}" in text_of(pdf)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_same_document_makes_the_same_bytes_in_another_process_place_and_locale(tmp_path: Path, zone: str) -> None:
    document = document_of(measured_statements(), "Vision")
    tmp_path.joinpath("document.json").write_text(document)
    program = (
        "import sys, pathlib; from chargeback.ledger.statement_pdf import render_pdf;"
        "sys.stdout.buffer.write(render_pdf(pathlib.Path(sys.argv[1]).read_text()))"
    )

    again = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "document.json")],
        env={**os.environ, "TZ": zone, "LC_ALL": "C"}, cwd=Path(__file__).parents[3], capture_output=True, check=True,
    )  # fmt: skip

    assert again.stdout == render_pdf(document)


RESERVED = {
    "cluster": "slurm-a", "reservation": "drill", "hours": "22.00", "cost": "52.8000", "first_day": "2026-03-06",
    "age_days": 26,
}  # fmt: skip


def with_suspense(team: str, **changes: object) -> str:
    document = json.loads(document_of(worked_statements(), team))
    document["suspense"] |= changes
    return json.dumps(document)


def test_a_reservation_in_suspense_is_named_on_every_paper() -> None:
    of_team = text_of(render_pdf(with_suspense("NLP", reservations=[RESERVED])), first_page_only=True)
    alone = text_of(render_pdf(with_suspense("NLP", reservations=[RESERVED], accounts=[], account_count=0)))

    assert "belong to nobody yet" in of_team
    for text in (of_team, alone):
        assert "Nobody is named to pay for reservation drill (slurm-a, 22.00 h unused). Yours?" in text
    assert "belong to nobody yet" not in alone


def test_the_paper_of_the_suspense_says_since_when_until_when_and_who_clears_it() -> None:
    terms = {"due_day": "2026-06-30", "cleared_by": "cost-centre owners", "is_borne": False}

    waits = text_of(render_pdf(with_suspense("unattributed", reservations=[RESERVED], **terms)))
    borne = text_of(render_pdf(with_suspense("unattributed", reservations=[RESERVED], **{**terms, "is_borne": True})))

    assert "drill reservation on slurm-a, unused 2026-03-06 26 22.00 52.80" in waits
    assert "From 2026-06-30 on the platform bears" in waits
    assert "Who may clear them: cost-centre owners." in waits
    assert "They were due on 2026-06-30 and the platform bears them." in borne
