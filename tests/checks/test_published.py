"""Checks of published: each passes on what was billed, and fails on what it is there for."""

from tests.checks.judging import judged
from tests.estates import Estate


def test_published_intact_passes_right_after_the_bill(billed_estate: Estate) -> None:
    judgement = judged("published_intact", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["documents"] == 3 * 2 + 4 + 3 * 2


def test_published_intact_fails_when_a_statement_was_altered(estate: Estate) -> None:
    page = next((estate.folder / "lake" / "published").rglob("vision/statement.html"))
    page.chmod(0o644)
    page.write_bytes(page.read_bytes() + b"<!-- a word -->")

    judgement = judged("published_intact", estate)

    assert judgement.is_failure
    assert "vision/statement.html" in judgement.told


def test_published_intact_fails_when_a_document_is_gone(estate: Estate) -> None:
    next((estate.folder / "lake" / "published").rglob("journal-2026-03.csv")).unlink()

    assert judged("published_intact", estate).told.endswith("| nothing")
