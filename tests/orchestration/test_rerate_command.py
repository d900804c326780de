"""`chargeback rerate`: a dry run writes nothing; a run computes exactly the open months whose rates changed."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.partition import Partition
from chargeback.contracts.registry import MONTHLY
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.rerate import candidate, rerate
from tests.checks.judging import rows_of
from tests.estates import INPUTS, LATER, MONTH, Estate, NoProgress, in_this_process
from tests.orchestration.commands_here import done, refused

CARD = (INPUTS / "rate-card.yaml").read_text()
DEARER = CARD.replace('version: "2026.1"', 'version: "2026.2"').replace("price: 2.385", "price: 3.00")


@pytest.fixture
def dearer(tmp_path: Path) -> Path:
    """A card that is dearer for standard H100 hours."""
    assert DEARER.count("2026.2") == DEARER.count("3.00") == 1
    path = tmp_path / "card.yaml"
    path.write_text(DEARER)
    return path


def closed(estate: Estate) -> None:
    """The month closed on each of its tables."""
    workspace = estate.workspace
    state = workspace.lake.state(CERTIFICATE, Partition.of_month(MONTH))
    assert state is not None
    workspace.lake.close_month(MONTH, by="controller", certificate_hash=state.content_hash, contracts=MONTHLY)


def test_a_dry_run_says_who_pays_more_and_changes_no_byte_of_the_lake(billed_estate: Estate, dearer: Path) -> None:
    before = billed_estate.tree()
    config = ("--config", str(billed_estate.config))

    table = done("rerate", MONTH, "--dry-run", "--card", str(dearer), *config)
    document = json.loads(done("rerate", "--dry-run", "--card", str(dearer), "--format", "json", *config))
    page = done("rerate", "--dry-run", "--card", str(dearer), "--format", "html", *config)

    assert "Rate card 2026.2 · NOT SIGNED · EUR · 1 rates change" in table
    assert "2.385 EUR/GPU-hour → 3.00 EUR/GPU-hour" in table
    teams = {row["name"]: row["difference"] for row in document["open"]["teams"]}
    assert (teams["Vision"], teams["NLP"]) == ("6.89", "5.41")  # 0.615 for 10 and 8 hours and 60 and 40 % of 2
    assert "<svg" in page
    assert "NOT SIGNED" in page
    assert billed_estate.tree() == before


def test_the_landed_card_changes_nothing_that_it_rated(billed_estate: Estate) -> None:
    assert "nobody pays more or less" in done("rerate", "--dry-run", "--config", str(billed_estate.config))


@pytest.mark.parametrize(
    ("change", "arguments", "why"),
    [
        ((), ("rerate", "--card", "CARD"), "only a card that landed prices anything"),
        (('"2026.2"', '"2025.9"'), ("rerate", "--dry-run", "--card", "CARD"), "counts in no billed month"),
        (('"2026.2"', '"2026.1"'), ("rerate", "--dry-run", "--card", "CARD"), "has two contents"),
        (("unit: GPU-hour", "unit: parsec"), ("rerate", "--dry-run", "--card", "CARD"), "parsec"),
        ((), ("rerate", "2026-04", "--dry-run"), "2026-04 was not billed yet"),
        ((), ("rerate", "--dry-run", "--format", "pdf"), "--format is 'pdf'"),
        ((), ("rerate", "--dry-run", "--card", "nowhere.yaml"), "no such file"),
    ],
)
def test_what_cannot_be_rerated_is_one_sentence(
    billed_estate: Estate, dearer: Path, change: tuple[str, str], arguments: tuple[str, ...], why: str
) -> None:
    if change:
        dearer.write_text(DEARER.replace(*change))
    given = [str(dearer) if part == "CARD" else part for part in arguments]

    assert why in refused(*given, "--config", str(billed_estate.config))


def test_a_closed_month_is_not_computed_again_and_becomes_corrections(estate: Estate, dearer: Path) -> None:
    closed(estate)

    said = done("rerate", MONTH, "--dry-run", "--card", str(dearer), "--config", str(estate.config))

    assert "closed months: they stand; the difference becomes corrections in an open month" in said
    estate.land("rate-cards", DEARER.encode(), extension="yaml", at=LATER)
    assert candidate(None, None, workspace=estate.workspace, now=LATER).open_months == ()


def test_a_landed_card_is_run_for_the_open_months_that_it_changes_and_costs_what_was_foretold(estate: Estate) -> None:
    estate.land("rate-cards", DEARER.encode(), extension="yaml", at=LATER)
    foretold = candidate(None, None, workspace=estate.workspace, now=LATER)
    days = {key: sha for key, sha in estate.contents().items() if key.startswith(("attribution", "runs"))}

    outcome = rerate(
        foretold.open_months, workspace=estate.workspace, settings_file=estate.config, progress=NoProgress(),
        pool_of=in_this_process,
    )  # fmt: skip

    assert (outcome.failures, outcome.refused) == ((), ())
    stated = sum(rows_of(estate, STATEMENTS)["total_amount"], Decimal(0))
    assert f"{stated:.2f}" == foretold.document["open"]["total"]["after"]
    assert set(rows_of(estate, TEAM_CHARGES)["card_version"]) == {"2026.2"}
    assert {key: sha for key, sha in estate.contents().items() if key in days} == days
    assert candidate(None, None, workspace=estate.workspace, now=LATER).open_months == ()
