"""The journal: balanced in every company, equal to the statements, and readable by other people's tools."""

import csv
import io
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.hledger import render_hledger
from chargeback.ledger.journal import (
    JournalAccounts,
    balance_findings,
    by_entry,
    entry_hash,
    journal_entries,
    journal_findings,
)
from chargeback.ledger.journal_csv import render_journal_csv
from chargeback.money import Currency
from chargeback.pricing.credits import CreditPolicies
from tests.chargeback.worked_month import EUR, rated_usage, worked_lines

ACCOUNTS = JournalAccounts("6400 GPU expense", "4400 GPU recovery", "1990 suspense", "C1", "9000", "6490 credits")
GOLDEN = """\
gpu-cb:C1:2026-03:nlp:allocation:r1           1 debit  6400 GPU expense  4712    50.40
gpu-cb:C1:2026-03:nlp:allocation:r1           2 debit  6400 GPU expense  4712  1145.75
gpu-cb:C1:2026-03:nlp:allocation:r1           3 credit 4400 GPU recovery 9000  1196.15
gpu-cb:C1:2026-03:robotics:allocation:r1      1 debit  6400 GPU expense  4713    13.80
gpu-cb:C1:2026-03:robotics:allocation:r1      2 debit  6400 GPU expense  4713     2.38
gpu-cb:C1:2026-03:robotics:allocation:r1      3 debit  6400 GPU expense  4714    35.20
gpu-cb:C1:2026-03:robotics:allocation:r1      4 debit  6400 GPU expense  4714     0.60
gpu-cb:C1:2026-03:robotics:allocation:r1      5 credit 4400 GPU recovery 9000    51.98
gpu-cb:C1:2026-03:unattributed:allocation:r1  1 debit  1990 suspense     9000     2.20
gpu-cb:C1:2026-03:unattributed:allocation:r1  2 credit 4400 GPU recovery 9000     2.20
gpu-cb:C1:2026-03:vision:allocation:r1        1 debit  6400 GPU expense  4711   105.60
gpu-cb:C1:2026-03:vision:allocation:r1        2 debit  6400 GPU expense  4711   134.99
gpu-cb:C1:2026-03:vision:allocation:r1        3 credit 4400 GPU recovery 9000   240.59
"""


def lines_of(*rows: tuple[str, str, str, str], currency: str = "EUR") -> pl.DataFrame:
    """Statement lines of rows (team, company, cost centre, amount)."""
    filled = [
        {
            "month": "2026-03", "line_id": f"L{at}", "team": team, "cost_centre": centre, "project": "", "company":
            company, "cluster": "slurm-a", "accelerator": "h100", "tier": "standard", "kind": "allocation", "quantity":
            "1", "quantity_unit": "GPU-second", "gpu_seconds": "1", "price": Decimal(1), "amount": Decimal(amount),
            "exact_amount": amount, "currency": currency, "card_version": "1", "run_count": 1, "running_count": 0,
        }
        for at, (team, company, centre, amount) in enumerate(rows)
    ]  # fmt: skip
    return pl.DataFrame(filled, schema=TEAM_CHARGES.schema, orient="row")


def entries_of(*rows: tuple[str, str, str, str], currency: str = "EUR") -> pl.DataFrame:
    return journal_entries(lines_of(*rows, currency=currency), month="2026-03", accounts=ACCOUNTS)


def test_the_worked_months_journal_is_the_golden_one() -> None:
    lines = worked_lines()

    entries = journal_entries(lines, month="2026-03", accounts=ACCOUNTS)

    assert JOURNAL_ENTRIES.breaches(entries) == []
    shown = [
        f"{row['entry_key']:<45} {row['line_number']} {row['side']:<6} {row['account']:<17} {row['cost_centre']}"
        f"{row['amount']:>9.2f}"
        for row in entries.iter_rows(named=True)
    ]
    assert shown == GOLDEN.splitlines()
    assert balance_findings(entries) == journal_findings(entries, lines) == []


def test_a_credit_is_a_contra_entry_of_its_own_that_the_platform_bears() -> None:
    lines = charge_lines(rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24)), currency=EUR)

    entries = journal_entries(lines, month="2026-03", accounts=ACCOUNTS)

    contra = entries.filter(pl.col("kind") == "credit-platform-fault")
    assert contra.select("entry_key", "side", "account", "cost_centre", "amount").rows() == [
        ("gpu-cb:C1:2026-03:vision:credit-platform-fault:r1", "credit", "6400 GPU expense", "4711", Decimal("105.60")),
        ("gpu-cb:C1:2026-03:vision:credit-platform-fault:r1", "debit", "6490 credits", "9000", Decimal("105.60")),
    ]
    assert contra["description"][1] == "GPU credit-platform-fault 2026-03, Vision: borne by the platform"
    assert entries.filter(pl.col("kind") == "allocation").equals(
        journal_entries(worked_lines(), month="2026-03", accounts=ACCOUNTS)
    )
    assert JOURNAL_ENTRIES.breaches(entries) == []
    assert balance_findings(entries) == journal_findings(entries, lines) == []


def test_a_credit_that_the_journal_books_as_a_charge_is_found() -> None:
    lines = charge_lines(rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24)), currency=EUR)
    entries = journal_entries(lines, month="2026-03", accounts=ACCOUNTS)
    turned = pl.when(pl.col("side") == "debit").then(pl.lit("credit")).otherwise(pl.lit("debit"))
    is_contra = pl.col("kind") == "credit-platform-fault"

    wrong = entries.with_columns(side=pl.when(is_contra & (pl.col("line_number") > 1)).then(turned).otherwise("side"))

    assert len(balance_findings(wrong)) == 1
    (finding,) = journal_findings(wrong, lines)
    assert finding.startswith("team Vision: the journal charges 29.39, the statement says 134.99")


def test_every_company_has_a_batch_that_balances_in_itself_and_names_whom_it_owes() -> None:
    entries = entries_of(("A", "C1", "1", "1.00"), ("B", "C2", "2", "2.00"), ("unattributed", "", "", "4.00"))

    batches = entries.group_by("batch_key", "side").agg(pl.col("amount").sum()).sort("batch_key", "side")

    assert batches["amount"].to_list() == [Decimal(5), Decimal(5), Decimal(2), Decimal(2)]
    assert entries.filter((pl.col("company") == "C2") & (pl.col("side") == "credit"))["description"].to_list() == [
        "GPU allocation 2026-03, B: recovered, owed to C1"
    ]
    assert entries.filter(pl.col("account") == "1990 suspense").select("company", "cost_centre").rows() == [
        ("C1", "9000")
    ]


def test_amounts_of_zero_make_no_debit_and_no_entry() -> None:
    entries = entries_of(("A", "C1", "1", "0.00"), ("B", "C1", "1", "0.00"), ("B", "C1", "2", "3.00"))

    assert entries.select("team", "side", "amount").rows() == [("B", "debit", Decimal(3)), ("B", "credit", Decimal(3))]
    assert len(entries_of(("A", "C1", "1", "0.00"))) == 0


def test_an_entry_that_does_not_balance_is_said_in_one_line() -> None:
    entries = entries_of(("Vision", "C1", "1", "1.00"))
    off = entries.with_columns(
        amount=pl.when(pl.col("side") == "credit").then(pl.lit(Decimal("0.99"))).otherwise("amount").cast(
            JOURNAL_ENTRIES.schema["amount"]
        )
    )  # fmt: skip

    assert balance_findings(off) == [
        (
            "journal entry 2026-03/vision/allocation does not balance: debits 1.00 EUR, credits 0.99 EUR, difference "
            "0.01 EUR"
        )
    ]


def test_a_journal_that_differs_from_the_statements_is_said_per_team() -> None:
    lines = lines_of(("A", "C1", "1", "1.00"), ("B", "C1", "1", "2.00"))
    entries = journal_entries(lines.filter(pl.col("team") == "A"), month="2026-03", accounts=ACCOUNTS)

    (finding,) = journal_findings(entries, lines)

    assert finding.startswith("team B: the journal charges 0.00, the statement says 2.00, difference -2.00")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["A", "B", "unattributed"]), st.sampled_from(["C1", "C2"]), st.sampled_from(["1", "2"]),
            st.integers(0, 10**9).map(lambda cents: f"{cents // 100}.{cents % 100:02d}"),
        ), max_size=12,
    ),
    st.randoms(),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_every_journal_balances_equals_its_lines_and_ignores_their_order(
    rows: list[tuple[str, str, str, str]], random: object
) -> None:
    lines = lines_of(*rows)
    shuffled = lines.sample(fraction=1, shuffle=True, seed=random.randrange(1000))  # type: ignore[attr-defined]

    entries = journal_entries(lines, month="2026-03", accounts=ACCOUNTS)

    assert balance_findings(entries) == journal_findings(entries, lines) == []
    assert entries.equals(journal_entries(shuffled, month="2026-03", accounts=ACCOUNTS))


def test_an_entrys_hash_follows_its_content_and_not_the_order_of_its_rows() -> None:
    (entry,) = by_entry(entries_of(("A", "C1", "1", "1.00"), ("A", "C1", "2", "2.00"))).values()
    (other,) = by_entry(entries_of(("A", "C1", "1", "1.00"), ("A", "C1", "2", "2.01"))).values()

    assert entry_hash(entry) == entry_hash(entry.reverse())
    assert entry_hash(entry) != entry_hash(other)


def test_the_neutral_csv_carries_its_control_total_and_no_cell_runs_as_a_formula() -> None:
    entries = entries_of(("=cmd|'/C calc'!A0", "C1", "+47", "1.00"), ("B", "C1", "1", "2.50"))

    text = render_journal_csv(entries, EUR, mode="parallel").decode()

    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["control_total"], row["status"]) for row in rows} == {("3.50", "withheld")}
    assert [row["team"] for row in rows] == ["B", "B", "'=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"]
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]
    assert render_journal_csv(entries.reverse(), EUR, mode="parallel").decode() == text


@pytest.mark.debian
@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("EUR", [("Vision", "C1", "4711", "240.59"), ("unattributed", "", "", "2.20")]),
        ("JPY", [("Vision", "C1", "4711", "240")]),
        ("KWD", [("Vision", "C1", "4711", "240.591")]),
        ("EUR", [("=cmd|'/C calc'!A0 ; x\n  y", "C1", "a  b;c:(d) |é", "1.00"), ("研究", "C1", "", "2.00")]),
        ("EUR", []),
    ],
)
def test_the_real_hledger_accepts_the_journal_strictly(
    tmp_path: Path, code: str, rows: list[tuple[str, str, str, str]]
) -> None:
    if shutil.which("hledger") is None:
        pytest.skip("hledger is not installed: apt-get install hledger")
    journal = tmp_path / "gpu.journal"
    journal.write_bytes(render_hledger(entries_of(*rows, currency=code), Currency(code)))

    checked = subprocess.run(["hledger", "-f", journal, "check", "--strict"], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stderr


@pytest.mark.debian
def test_the_real_hledger_adds_up_the_worked_month_and_refuses_it_when_a_cent_is_missing(tmp_path: Path) -> None:
    if shutil.which("hledger") is None:
        pytest.skip("hledger is not installed: apt-get install hledger")
    text = render_hledger(journal_entries(worked_lines(), month="2026-03", accounts=ACCOUNTS), EUR)
    (tmp_path / "good.journal").write_bytes(text)
    (tmp_path / "bad.journal").write_bytes(text.replace(b"-240.59", b"-240.58"))

    balance, refused = (
        subprocess.run(["hledger", "-f", tmp_path / name, "balance", "recovery", "-N"], capture_output=True, text=True)
        for name in ("good.journal", "bad.journal")
    )

    assert balance.stdout.split() == ["-1490.92", "EUR", "C1:4400", "GPU", "recovery:9000"]
    assert refused.returncode != 0
    assert "could not balance" in refused.stderr
