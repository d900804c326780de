"""The golden month: the scheduler's own text goes in, statements and journal come out, to the byte.

A change of these files is read in review like code. To write them anew after a wanted change:
`python -m tests.chargeback.test_golden_month`.
"""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.billing_period import day_interval
from chargeback.ledger.capacity_totals import capacity_totals
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.hledger import render_hledger
from chargeback.ledger.journal import JournalAccounts, journal_entries
from chargeback.ledger.journal_csv import render_journal_csv
from chargeback.ledger.node_sizes import node_sizes
from chargeback.ledger.statement_document import Coverage, card_mark
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statements import statement_rows
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rating import rate_usage
from chargeback.pricing.uncharged_runs import uncharged_runs
from tests.chargeback.attribution.unmeasured import unmeasured_hours
from tests.chargeback.ledger.worked_statements import worked_capacity
from tests.chargeback.worked_month import EUR, MARCH, expected_lines, lines_as_text, the_card, the_ownership
from tests.slurm_estate import SlurmEstate
from tests.tables import instant, shared_file

GOLDEN = Path(__file__).parents[1] / "golden" / "worked_month"
ACCOUNTS = JournalAccounts("6400 GPU expense", "4400 GPU recovery", "1990 GPU suspense", "C1", "9000", "6490")
Month = tuple[pl.DataFrame, pl.DataFrame, dict[str, bytes]]


def billed_month() -> Month:
    """(lines, capacity totals, rendered files) of the worked month, from sacct text on."""
    sources = {"slurm/sacct": "sacct.psv", "slurm/nodes": "nodes.txt", "slurm/events": "events.psv"}
    extracted_at = instant("2026-04-02T02:00Z")
    objects = [
        (source, extracted_at, shared_file("worked-month", name).read_bytes()) for source, name in sources.items()
    ]
    estate = SlurmEstate(objects, ZoneInfo("UTC"), MARCH.zone, {"scavenger": "preemptible"}, "slurm-a")
    days = {day: estate.day(day) for day in MARCH.days}
    runs = pl.concat(tables.runs for tables in days.values()).lazy()
    attribution = pl.concat(
        unmeasured_hours(tables.holds, cluster="slurm-a", day=day, interval=day_interval(day, MARCH.zone))
        for day, tables in days.items()
    )
    prices = prices_of_month(the_card(), period=MARCH)
    rated = rate_usage(attribution.lazy(), runs, the_ownership(), prices, period=MARCH, currency="EUR")
    lines = charge_lines(rated, currency=EUR)
    entries = journal_entries(lines, month=MARCH.month, accounts=ACCOUNTS)
    capacity = pl.concat(tables.capacity for tables in days.values()).lazy()
    totals = capacity_totals(capacity)
    statements = statement_rows(
        lines, rated, uncharged_runs(runs, the_ownership()), totals, Coverage(3, 27, 12, 0), None, month=MARCH.month,
        mode="parallel", currency=EUR, card=card_mark(prices), policies={}, contact="gpu-billing@example.org",
        sizes=node_sizes(capacity, zone=MARCH.zone),
    )  # fmt: skip
    files = {
        f"{row['statement_id']}.{kind}": content
        for row in statements.iter_rows(named=True)
        for kind, content in (("csv", render_lines_csv(row["document"])), ("json", _spread(row["document"])))
    }
    files["journal.csv"] = render_journal_csv(entries, EUR, mode="parallel")
    files["journal.hledger"] = render_hledger(entries, EUR)
    return lines, totals, files


def _spread(document: str) -> bytes:
    """A document one value a line, so that its changes can be read."""
    return (json.dumps(json.loads(document), indent=1, ensure_ascii=False) + "\n").encode()


@pytest.fixture(scope="module")
def month() -> Month:
    return billed_month()


def test_scheduler_text_becomes_the_right_bill_line_by_line(month: Month) -> None:
    lines, _, _ = month

    assert lines_as_text(lines) == expected_lines()


def test_the_months_capacity_is_added_up_as_finance_sees_it(month: Month) -> None:
    _, totals, _ = month

    assert totals.sort("accelerator").equals(worked_capacity().sort("accelerator"))


def test_statements_and_journal_are_the_golden_ones_to_the_byte(month: Month) -> None:
    _, _, files = month

    golden = {path.name: path.read_bytes() for path in GOLDEN.iterdir()}

    assert sorted(files) == sorted(golden)
    for name, content in files.items():
        assert content.decode() == golden[name].decode(), name


if __name__ == "__main__":
    for name, content in billed_month()[2].items():
        (GOLDEN / name).write_bytes(content)
