"""A month whose processes are killed at random and whose store fails ends as an undisturbed one: cent, byte and hash.

The brief one is of every test run. The whole one takes minutes of two cores: `make chaos`, in which CHAOS_KILLS says
how many kills, and CHAOS_SEED draws the same ones again.
"""

import os
from pathlib import Path

import pytest

from tests.chaos.killing import fork_server
from tests.chaos.storm import BRIEF, WHOLE, Figures, Ordeal, Storm
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["s3_server"]  # the fixture

KILLS = int(os.environ.get("CHAOS_KILLS", "500"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
BRIEF_KILLS = 3


def storm(server: S3Server, folder: Path, capsys: pytest.CaptureFixture[str], ordeal: Ordeal, kills: int) -> Figures:
    """Live through it and print what happened: a storm that failed can be made again by its seed."""
    with fork_server() as context:
        figures = Storm(server, folder, SEED, context, ordeal).until(kills)
    with capsys.disabled():
        print(f"\n{figures}")
    return figures


@pytest.mark.skipif("CHAOS_KILLS" not in os.environ, reason="a storm takes minutes of two cores: make chaos")
def test_a_month_billed_in_a_storm_ends_as_an_undisturbed_one(
    s3_server: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = storm(s3_server, tmp_path, capsys, WHOLE, KILLS)

    assert figures.differences == []
    assert figures.kills.total() >= KILLS
    assert figures.compared


@pytest.mark.skipif("CHAOS_KILLS" in os.environ, reason="the whole storm was asked for")
def test_a_month_billed_in_a_brief_storm_ends_as_an_undisturbed_one(
    s3_server: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = storm(s3_server, tmp_path, capsys, BRIEF, BRIEF_KILLS)

    assert figures.differences == []
    assert figures.kills.total() >= BRIEF_KILLS
    assert figures.faults.total() > 0
    assert figures.compared
