"""The documents say what the source says: dictionary, glossary, and links that lead somewhere."""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

from chargeback.contracts.registry import CONTRACTS
from checks.registry import ALL_CHECKS
from orchestration.data_dictionary import DICTIONARY_FILE, render_data_dictionary
from resources.correction_settings import Corrections
from resources.journal_settings import Journal
from resources.landing import SOURCES
from resources.operation_settings import Automation, Events, Instance
from resources.policy_settings import Policies
from tests.architecture.source_tree import ROOT
from tests.tables import shared_file

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
LONGEST_DECISION_LINES = 60


def test_the_data_dictionary_is_what_the_contracts_say_now() -> None:
    written = DICTIONARY_FILE.read_text(encoding="utf-8")

    assert written == render_data_dictionary(), "stale: run make dictionary"


def test_the_data_dictionary_explains_every_column_and_check() -> None:
    written = DICTIONARY_FILE.read_text(encoding="utf-8")

    sections = {section.partition("\n")[0]: section for section in written.split("\n## ")}

    missing = [
        f"{contract.table}.{name}"
        for contract in CONTRACTS
        for name in (*contract.column_names, *contract.checks)
        if f"`{name}`" not in sections[contract.table]
    ]
    assert missing == []


def test_every_column_says_what_it_means() -> None:
    silent = [f"{contract.table}.{column.name}" for contract in CONTRACTS for column in contract.columns
              if not column.meaning.strip()]  # fmt: skip

    assert silent == []


def test_the_glossary_has_every_word_that_the_design_binds_us_to() -> None:
    design = shared_file("design.md").read_text(encoding="utf-8")
    section = design.split("\n## 2. Words")[1].split("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")][2:]
    words = [word.strip() for row in rows for word in row.split(",")]

    glossary = _glossary_words()

    assert [word for word in words if word.lower() not in glossary] == []


def test_the_glossary_explains_each_word_once() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")

    bold = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.M)
    words = [word.strip().lower() for cell in bold for word in cell.split(",")]

    assert sorted({word for word in words if words.count(word) > 1}) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_setting_and_source_is_explained_where_a_cluster_is_connected() -> None:
    text = (DOCS / "connecting-your-cluster.md").read_text(encoding="utf-8")
    settings = (
        "root", "endpoint_url", "region", "path_style", "allow_http", "encryption", "kms_key_id", "lock_days",
        "home", "timezone", "currency", "first_day",
        "mode", "contact", "scheduler", "tiers", "classes", "scrape_seconds", "accelerators",
        *Policies.__slots__, *Journal.__slots__, *Events.__slots__, *Automation.__slots__, *Instance.__slots__,
        *Corrections.__slots__,
    )  # fmt: skip

    assert [name for name in (*settings, *SOURCES) if f"`{name}`" not in text] == []


def test_the_runbook_says_what_to_do_when_any_check_fails() -> None:
    text = (DOCS / "runbook.md").read_text(encoding="utf-8")

    assert [check.name for check in ALL_CHECKS if f"`{check.name}`" not in text] == []


def test_decisions_are_numbered_without_a_gap_and_a_page_long() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))

    numbers = [int(page.name[:4]) for page in pages]
    lengths = {page.name: len(page.read_text(encoding="utf-8").splitlines()) for page in pages}

    assert numbers == list(range(1, len(pages) + 1))
    assert {name: length for name, length in lengths.items() if length > LONGEST_DECISION_LINES} == {}


def _glossary_words() -> set[str]:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.M)
    return {word.strip().lower() for cell in cells for word in cell.split(",")}


@pytest.mark.parametrize("name", ["sacct.psv", "nodes.txt", "events.psv", "ownership.csv"])
def test_the_inputs_of_the_worked_month_are_those_that_its_figures_were_computed_from(name: str) -> None:
    ours = (DOCS / "worked-month" / name).read_bytes()

    assert ours == shared_file("worked-month", name).read_bytes()


def test_the_worked_month_shows_every_line_of_the_golden_one() -> None:
    text = (DOCS / "worked-month.md").read_text(encoding="utf-8")
    golden = sorted((ROOT / "tests" / "golden" / "worked_month").glob("GPU-*.csv"))

    lines = [row for file in golden for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())]

    assert lines
    assert [row["line_id"] for row in lines if not _shows(text, row)] == []


def _shows(text: str, line: dict[str, str]) -> bool:
    quantity = line["quantity"] if "/" in line["quantity"] else f"{int(line['quantity']):,}"
    owner = " | ".join(line[name] for name in ("team", "cost_centre", "project")).replace(" |  | ", " | | ")
    amount = f"{Decimal(line['amount']):,}"
    row = f"{owner} | {line['accelerator']}, {line['tier']} | {quantity} | {line['price_per_hour']} | {amount} |"
    return row.replace("|  |", "| |") in text
