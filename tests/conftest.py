"""Estates that many tests share, each made once a session."""

from pathlib import Path

import pytest

from tests.estates import Estate, prepared, two_days_billed


@pytest.fixture(scope="session")
def billed_estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """Two days, billed and published. Not to be changed: ask for `estate` instead."""
    return prepared(tmp_path_factory, "two-days", two_days_billed)


@pytest.fixture
def estate(billed_estate: Estate, tmp_path: Path) -> Estate:
    """A copy of it, to be changed."""
    return billed_estate.copied_to(tmp_path / "estate")
