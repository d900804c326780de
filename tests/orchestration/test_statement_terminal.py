"""A statement at the terminal: what is charged, then what the held hours did and what to do first."""

import io
import json

from rich.console import Console

from orchestration.statement import print_statement
from tests.chargeback.ledger.worked_statements import document_of, measured_statements


def test_a_statement_says_at_the_terminal_what_its_hours_did_and_what_to_do_first() -> None:
    console = Console(file=io.StringIO(), record=True, width=160, soft_wrap=True, highlight=False)

    print_statement(json.loads(document_of(measured_statements(), "Vision")), console)

    said = console.export_text()
    for line in (
        "6,060.00 EUR",
        "held           3,030.00 GPU-hours: busy 1,480.00 · starved 1,010.00 · idle 455.00 · unmeasured 85.00; ",
        "telemetry saw 97.2 %",
        "do first       1,000.00 GPU-hours starved: sweep-a: it runs and the GPUs wait",
        "do first       410.00 GPU-hours held and idle: Notebook/n9: nothing runs in it",
        "never active   1 of 69 GPUs of its runs",
    ):
        assert line in said, line
